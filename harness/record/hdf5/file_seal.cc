#include "harness/record/hdf5/file_seal.h"

#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/input_error.h"

namespace harness {
namespace {

constexpr std::string_view kSealBegins = "harness file, ";
constexpr std::string_view kHdf5Signature = "\x89HDF\r\n\x1a\n";
constexpr std::size_t kReadBytes = 1 << 20;

/// Reads up to `size` bytes, fewer only at the end of the file. Returns the number of bytes; negative:
/// failed, with errno.
ssize_t read_whole(int fd, char* at, std::size_t size, std::size_t offset) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(fd, at + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return static_cast<ssize_t>(done);
}

/// Returns the right block for the file's present content, kSealBytes long; empty if the file could not be
/// read, with errno.
std::string seal_of(int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) return "";
  const auto size = static_cast<std::size_t>(status.st_size);
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), XXH3_freeState);
  if (state == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(state.get());
  std::vector<char> block(std::clamp<std::size_t>(size, 1, kReadBytes));
  for (std::size_t at = kSealBytes; at < size; at += block.size()) {
    const ssize_t got = read_whole(fd, block.data(), block.size(), at);
    if (got < 0) return "";
    XXH3_128bits_update(state.get(), block.data(), static_cast<std::size_t>(got));
  }
  XXH128_canonical_t digest;
  XXH128_canonicalFromHash(&digest, XXH3_128bits_digest(state.get()));
  std::string seal = std::string(kSealBegins) + "XXH3-128 of the rest: ";
  for (const unsigned char byte : digest.digest) {
    constexpr const char* kDigits = "0123456789abcdef";
    seal += kDigits[byte >> 4];
    seal += kDigits[byte & 0xf];
  }
  seal += ", " + std::to_string(size) + " bytes\n";
  seal.resize(kSealBytes, '\0');
  return seal;
}

/// Returns the size of the sealed file according to the block; 0 if the block has no size.
std::size_t sealed_size(std::string_view block) {
  const std::size_t comma = block.rfind(", ");
  std::size_t size = 0;
  if (comma != std::string_view::npos)
    std::from_chars(block.data() + comma + 2, block.data() + block.size(), size);
  return size;
}

}  // namespace

int write_whole(int fd, const void* bytes, std::size_t size, std::size_t offset) {
  const char* at = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t put = ::pwrite(fd, at, size, static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return put < 0 ? errno : ENOSPC;
    at += put;
    offset += static_cast<std::size_t>(put);
    size -= static_cast<std::size_t>(put);
  }
  return 0;
}

int seal_file(int fd) {
  const std::string seal = seal_of(fd);
  return seal.empty() ? errno : write_whole(fd, seal.data(), seal.size(), 0);
}

FileSeal check_seal(int fd, const std::string& path) {
  std::string begin(kSealBytes + kHdf5Signature.size(), '\0');
  const ssize_t got = read_whole(fd, begin.data(), begin.size(), 0);
  if (got < 0) throw input_error({path, 0, ""}, std::strerror(errno), "a file that can be read");
  begin.resize(static_cast<std::size_t>(got));
  const std::string_view text = begin;
  if (text.starts_with(kHdf5Signature)) return FileSeal::kUnsealed;
  const bool has_block =
      text.starts_with(kSealBegins) || text.substr(std::min(text.size(), kSealBytes)) == kHdf5Signature;
  if (!has_block) return FileSeal::kForeign;
  const std::string seal = seal_of(fd);
  if (seal.empty()) throw input_error({path, 0, ""}, std::strerror(errno), "a file that can be read");
  if (text.substr(0, kSealBytes) == seal) return FileSeal::kMatches;
  struct stat status {};
  const std::size_t then = sealed_size(text.substr(0, kSealBytes));
  const bool has_grown =
      then > 0 && ::fstat(fd, &status) == 0 && static_cast<std::size_t>(status.st_size) > then;
  return has_grown ? FileSeal::kGrown : FileSeal::kDamaged;
}

}  // namespace harness
