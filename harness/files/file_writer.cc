#include "harness/files/file_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"

namespace harness {
namespace {

/// True if the path names something that a rename must not replace, such as /dev/stdout. Links elsewhere are
/// not followed.
bool is_special(const std::string& path) {
  if (path.starts_with("/dev/") || path.starts_with("/proc/")) return true;
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode) &&
         !S_ISLNK(facts.st_mode);
}

int open_special(const std::string& path) {
  // A pipe that nobody reads would not open before somebody does.
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) throw EnvironmentError(path + ": cannot open: " + std::strerror(errno));
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  return descriptor;
}

/// Refuses to replace results by a text: they take long to make, so their name was given by mistake.
void refuse_results(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  char begin[16] = {};
  const bool has_bytes = descriptor >= 0 && ::read(descriptor, begin, sizeof begin) > 0;
  if (descriptor >= 0) ::close(descriptor);
  if (!has_bytes) return;
  const std::string_view text(begin, sizeof begin);
  if (text.starts_with("harness file") || text.starts_with("\x89HDF"))
    throw input_refusal({path, 0, ""},
                        "a results file, which is not replaced by a text; choose another name");
}

}  // namespace

FileWriter::FileWriter(const std::string& path) : path_(path) {
  if (is_special(path)) {
    descriptor_ = open_special(path);
    return;
  }
  refuse_results(path);
  temporary_ = path + ".tmp" + std::to_string(::getpid());
  ::unlink(temporary_.c_str());  // it may be the rest of an earlier process of this number, or a link
  descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor_ < 0) throw EnvironmentError(path + ": cannot create: " + std::strerror(errno));
}

FileWriter::~FileWriter() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void FileWriter::add(std::string_view bytes) {
  if (const int error = write_fully(descriptor_, bytes); error != 0)
    throw EnvironmentError(path_ + ": cannot write: " + std::strerror(error));
}

void FileWriter::commit() {
  if (temporary_.empty()) return;
  const bool is_flushed = ::fsync(descriptor_) == 0;
  // Network file systems report lost writes when they close a file.
  const bool is_closed = is_flushed && ::close(std::exchange(descriptor_, -1)) == 0;
  if (!is_closed) throw EnvironmentError(path_ + ": cannot write: " + std::strerror(errno));
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0)
    throw EnvironmentError(path_ + ": cannot rename the finished file: " + std::strerror(errno));
  temporary_.clear();
}

int write_fully(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    if (written == 0) return EIO;  // no errno says why
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace harness
