#include "harness/core/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "harness/core/environment_error.h"

namespace harness {
namespace {

/// Returns the kind of a file that is not regular, in words.
const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe (FIFO)";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

}  // namespace

InputPlace place_of_file(const std::string& path, const InputPlace& named_at) {
  if (named_at.key.empty()) return {path, 0, ""};
  return {named_at.file, named_at.line, named_at.key + " = " + path};
}

FileState state_of(const struct stat& status) {
  return {static_cast<std::int64_t>(status.st_dev),
          static_cast<std::int64_t>(status.st_ino),
          status.st_size,
          status.st_mtim.tv_sec,
          status.st_mtim.tv_nsec,
          status.st_ctim.tv_sec,
          status.st_ctim.tv_nsec};
}

InputFile::InputFile(const std::string& path, std::string_view allowed, const InputPlace& named_at)
    : place_(place_of_file(path, named_at)), allowed_(allowed) {
  // The system would take the part before the zero byte for the path.
  if (path.find('\0') != std::string::npos) throw input_error(place_, "a path with a zero byte", allowed);
  struct stat facts {};
  // The check comes before opening, because opening a device may do something, and a socket cannot be opened.
  if (::stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode))
    throw input_error(place_, kind_of(facts.st_mode), allowed);
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  const int reason = errno;
  if (descriptor_ < 0 && (reason == EMFILE || reason == ENFILE))
    throw EnvironmentError(path + ": cannot open: " + std::strerror(reason));
  if (descriptor_ < 0)
    throw input_error(place_, reason == ENOENT ? "no such file" : std::strerror(reason), allowed);
  // The check is repeated, because another file may be there by now.
  if (::fstat(descriptor_, &facts) == 0 && S_ISREG(facts.st_mode)) {
    size_ = static_cast<std::uint64_t>(facts.st_size);
    return;
  }
  ::close(descriptor_);
  throw input_error(place_, kind_of(facts.st_mode), allowed);
}

InputFile::~InputFile() { ::close(descriptor_); }

std::size_t InputFile::read(char* into, std::size_t capacity) {
  ssize_t count = 0;
  do {
    count = ::read(descriptor_, into, capacity);
  } while (count < 0 && errno == EINTR);
  if (count < 0) throw input_error(place_, std::strerror(errno), allowed_);
  return static_cast<std::size_t>(count);
}

}  // namespace harness
