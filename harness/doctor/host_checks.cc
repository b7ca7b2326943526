#include "harness/doctor/host_checks.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "harness/core/types.h"
#include "harness/files/file_writer.h"
#include "harness/machine/steady_clock.h"

namespace harness {
namespace {

constexpr double kLittleSpace = 1e9;
constexpr double kNoSpace = 5e7;
constexpr TimeNs kSlowSyncNs = 100 * kNsPerMs;
constexpr std::size_t kTryBytes = std::size_t{1} << 20;

/// Returns the folder, or the nearest one above it that exists.
std::string existing(const std::string& folder) {
  std::error_code error;
  std::filesystem::path path = std::filesystem::absolute(folder.empty() ? "." : folder, error);
  while (!std::filesystem::exists(path, error) && path.has_relative_path()) path = path.parent_path();
  return path.string();
}

/// A file that is closed at the end of its life.
class File {
 public:
  explicit File(int number) : number_(number) {}
  ~File() {
    if (number_ >= 0) ::close(number_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

/// Returns the time to write and sync a file, or the negative number of the error.
TimeNs time_to_sync(const std::string& folder) {
  std::string name = folder + "/.harness-doctor-XXXXXX";
  const File file(::mkstemp(name.data()));
  if (file.number() < 0) return -errno;
  ::unlink(name.c_str());
  const std::string bytes(kTryBytes, 'x');
  const TimeNs began_ns = steady_ns();
  if (const int error = write_fully(file.number(), bytes); error != 0) return -error;
  if (::fsync(file.number()) != 0) return -errno;
  return steady_ns() - began_ns;
}

Check socket_failed(const char* what) {
  return {CheckLevel::kFail, "sockets", std::string(what) + ": " + std::strerror(errno),
          "ranks wake each other by datagrams: allow UDP here"};
}

}  // namespace

Check check_output_folder(const std::string& folder) {
  const std::string where = existing(folder);
  const std::string subject = "output folder";
  const TimeNs sync_ns = time_to_sync(where);
  if (sync_ns < 0) {
    return {CheckLevel::kFail, subject, where + ": " + std::strerror(static_cast<int>(-sync_ns)),
            "name a folder that can be written with -o"};
  }
  struct statfs status = {};
  const bool known = ::statfs(where.c_str(), &status) == 0;
  const double free = static_cast<double>(status.f_bavail) * static_cast<double>(status.f_bsize);
  char text[128];
  std::snprintf(text, sizeof text, "%.3g GB free, 1 MiB is safe after %.2g ms", free / 1e9,
                static_cast<double>(sync_ns) / 1e6);
  const std::string found = where + ": " + text;
  if (known && free < kNoSpace)
    return {CheckLevel::kFail, subject, found, "free some space, or -o elsewhere"};
  if (known && free < kLittleSpace)
    return {CheckLevel::kWarn, subject, found,
            "a large experiment with rows may not fit: record.rows = false"};
  if (sync_ns > kSlowSyncNs) {
    return {CheckLevel::kWarn, subject, found,
            "each finished cell waits as long: a local disk with -o, copied afterwards"};
  }
  return {CheckLevel::kOk, subject, found, ""};
}

Check check_file_locking(const std::string& folder, const std::string& setting) {
  constexpr long kNfs = 0x6969;
  constexpr long kLustre = 0x0BD00BD0;
  constexpr long kGpfs = 0x47504653;
  struct statfs status = {};
  const bool known = ::statfs(existing(folder).c_str(), &status) == 0;
  const auto type = static_cast<long>(status.f_type);
  const bool network = known && (type == kNfs || type == kLustre || type == kGpfs);
  const std::string value =
      setting.empty() ? "HDF5_USE_FILE_LOCKING is not set" : "HDF5_USE_FILE_LOCKING=" + setting;
  const std::string found =
      value + (network ? ", folder on a network file system" : ", folder on a local file system");
  if (network && setting != "FALSE") {
    return {CheckLevel::kWarn, "file locks", found,
            "if HDF5 cannot lock there: export HDF5_USE_FILE_LOCKING=FALSE (mpirun -x, on all ranks)"};
  }
  return {CheckLevel::kOk, "file locks", found, ""};
}

Check check_own_socket() {
  const File file(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (file.number() < 0) return socket_failed("no datagram socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(file.number(), generic, size) != 0 || ::getsockname(file.number(), generic, &size) != 0)
    return socket_failed("a datagram socket cannot be bound");
  if (::sendto(file.number(), "x", 1, 0, generic, size) != 1)
    return socket_failed("a datagram cannot be sent");
  constexpr int kWaitMs = 1000;
  pollfd ready{file.number(), POLLIN, 0};
  if (::poll(&ready, 1, kWaitMs) != 1) {
    errno = ETIMEDOUT;
    return socket_failed("a datagram to 127.0.0.1 does not come");
  }
  return {CheckLevel::kOk, "sockets", "a datagram to this host comes", ""};
}

}  // namespace harness
