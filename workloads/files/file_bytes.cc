#include "workloads/files/file_bytes.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/input_file.h"

namespace harness {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;

std::string mebibytes(std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

InputError too_large(const InputPlace& place, std::size_t largest) {
  return input_error(place, "more than " + mebibytes(largest), "at most " + mebibytes(largest));
}

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

std::string read_file(const std::string& path, std::size_t largest, const InputPlace& named_at) {
  InputFile file(path, "a readable file", named_at);
  const InputPlace place = place_of_file(path, named_at);
  if (file.size() > largest) throw too_large(place, largest);
  std::string bytes;
  char chunk[kChunk];
  while (const std::size_t count = file.read(chunk, sizeof chunk)) {
    bytes.append(chunk, count);
    if (bytes.size() > largest) throw too_large(place, largest);
  }
  return bytes;
}

std::string packed(std::string_view bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  std::string result(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  const int state = deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  HARNESS_CHECK(state == Z_STREAM_END, "zlib cannot pack");
  return result;
}

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

void write_file(const std::string& path, std::string_view bytes) {
  const bool gzipped = path.size() > 3 && path.ends_with(".gz");
  FileWriter file(path);
  if (gzipped)
    file.add(packed(bytes));
  else
    file.add(bytes);
  file.commit();
}

namespace {

/// Computes the SHA-256 of bytes that come piece by piece.
class Digest {
 public:
  Digest() {
    if (context_ == nullptr || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1)
      throw std::bad_alloc();
  }

  void add(std::string_view bytes) {
    HARNESS_CHECK(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1, "SHA-256 failed");
  }

  std::string hex() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    HARNESS_CHECK(EVP_DigestFinal_ex(context_.get(), digest, &size) == 1, "SHA-256 failed");
    constexpr char kDigits[] = "0123456789abcdef";
    std::string hex;
    for (unsigned int i = 0; i < size; ++i) {
      hex += kDigits[digest[i] >> 4];
      hex += kDigits[digest[i] & 15];
    }
    return hex;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

}  // namespace

std::string sha256_of(std::string_view bytes) { return sha256_of(std::span(&bytes, 1)); }

std::string sha256_of(std::span<const std::string_view> pieces) {
  Digest digest;
  for (const std::string_view piece : pieces) digest.add(piece);
  return digest.hex();
}

std::string sha256_of_file(const std::string& path, const InputPlace& named_at) {
  InputFile file(path, "a readable file", named_at);
  Digest digest;
  char chunk[kChunk];
  while (const std::size_t count = file.read(chunk, sizeof chunk)) digest.add({chunk, count});
  return digest.hex();
}

}  // namespace harness
