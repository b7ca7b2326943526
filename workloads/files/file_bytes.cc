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
#include <utility>

#include "harness/core/error.h"
#include "harness/core/input_file.h"

namespace harness {
namespace {

struct OutputFile {
  explicit OutputFile(int handle) : descriptor(handle) {}
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile() {
    if (descriptor >= 0) ::close(descriptor);
  }
  /// Network file systems say here what did not reach the disk.
  bool close() { return ::close(std::exchange(descriptor, -1)) == 0; }
  int descriptor;
};

constexpr std::size_t kChunk = std::size_t{1} << 16;

std::string mebibytes(std::size_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

InputError too_large(const std::string& file, const std::string& what, std::size_t largest) {
  return input_error({file, 0, ""}, what + "more than " + mebibytes(largest),
                     "at most " + mebibytes(largest));
}

struct Inflater {
  Inflater() { good = inflateInit2(&stream, 15 + 16) == Z_OK; }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream); }
  z_stream stream{};
  bool good = false;
};

bool begins_like_gzip(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

/// One gzip member appended to `text`; returns the bytes it took.
std::size_t unpack_member(const std::string& file, std::string_view bytes, std::string& text) {
  Inflater inflater;
  HARNESS_CHECK(inflater.good, "zlib cannot start");
  z_stream& stream = inflater.stream;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  char chunk[kChunk];
  for (;;) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk);
    stream.avail_out = sizeof chunk;
    const int state = inflate(&stream, Z_NO_FLUSH);
    text.append(chunk, sizeof chunk - stream.avail_out);
    if (text.size() > kLargestTrace) throw too_large(file, "gzip data that unpack to ", kLargestTrace);
    if (state == Z_STREAM_END) return bytes.size() - stream.avail_in;
    if (state == Z_BUF_ERROR || (state == Z_OK && stream.avail_in == 0 && stream.avail_out != 0)) {
      throw input_error({file, 0, ""}, "truncated gzip data", "a complete gzip file");
    }
    if (state != Z_OK) {
      throw input_error({file, 0, ""}, "corrupt gzip data", "an intact gzip file, or plain text");
    }
  }
}

void write_all(int descriptor, std::string_view bytes, const std::string& path) {
  if (const int error = write_fully(descriptor, bytes); error != 0)
    throw EnvironmentError(path + ": cannot write: " + std::strerror(error));
}

/// Whether the path names something that a rename must not replace, such as /dev/stdout. Links elsewhere are
/// not followed.
bool is_special(const std::string& path) {
  if (path.starts_with("/dev/") || path.starts_with("/proc/")) return true;
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode) &&
         !S_ISLNK(facts.st_mode);
}

void write_special(const std::string& path, std::string_view bytes) {
  // A pipe that nobody reads would not open before somebody does.
  const OutputFile file(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (file.descriptor < 0) throw EnvironmentError(path + ": cannot open: " + std::strerror(errno));
  ::fcntl(file.descriptor, F_SETFL, ::fcntl(file.descriptor, F_GETFL) & ~O_NONBLOCK);
  write_all(file.descriptor, bytes, path);
}

/// A text does not replace results, which take long to make: their name was given by mistake.
void refuse_results(const std::string& path) {
  const OutputFile file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
  char begin[16] = {};
  if (file.descriptor < 0 || ::read(file.descriptor, begin, sizeof begin) <= 0) return;
  const std::string_view text(begin, sizeof begin);
  if (text.starts_with("harness file") || text.starts_with("\x89HDF"))
    throw input_refusal({path, 0, ""},
                        "a results file, which is not replaced by a text; choose another name");
}

void write_whole(const std::string& temporary, std::string_view bytes, const std::string& path) {
  ::unlink(temporary.c_str());  // what an earlier process of this number left, or a link
  OutputFile file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (file.descriptor < 0) throw EnvironmentError(path + ": cannot create: " + std::strerror(errno));
  write_all(file.descriptor, bytes, path);
  if (::fsync(file.descriptor) != 0 || !file.close())
    throw EnvironmentError(path + ": cannot write: " + std::strerror(errno));
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

std::string read_file(const std::string& path, std::size_t largest) {
  InputFile file(path);
  if (file.size() > largest) throw too_large(path, "", largest);
  std::string bytes;
  char chunk[kChunk];
  while (const std::size_t count = file.read(chunk, sizeof chunk)) {
    bytes.append(chunk, count);
    if (bytes.size() > largest) throw too_large(path, "", largest);
  }
  return bytes;
}

std::string unpacked(const std::string& file, std::string_view bytes) {
  if (!begins_like_gzip(bytes)) return std::string(bytes);
  std::string text;
  while (!bytes.empty()) {
    if (!begins_like_gzip(bytes)) {
      throw input_error({file, 0, ""}, "something after the end of the gzip data", "gzip data alone");
    }
    bytes.remove_prefix(unpack_member(file, bytes, text));
  }
  return text;
}

std::string packed(std::string_view bytes) {
  z_stream stream{};
  const int started = deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  HARNESS_CHECK(started == Z_OK, "zlib cannot start");
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

void write_file(const std::string& path, std::string_view bytes) {
  const bool gzipped = path.size() > 3 && path.ends_with(".gz");
  const std::string content = gzipped ? packed(bytes) : std::string(bytes);
  if (is_special(path)) return write_special(path, content);
  refuse_results(path);
  const std::string temporary = path + ".tmp" + std::to_string(::getpid());
  try {
    write_whole(temporary, content, path);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  if (std::rename(temporary.c_str(), path.c_str()) == 0) return;
  const int reason = errno;
  ::unlink(temporary.c_str());
  throw EnvironmentError(path + ": cannot rename the finished file: " + std::strerror(reason));
}

namespace {

/// SHA-256 of what is given bit by bit.
class Digest {
 public:
  Digest() : context_(EVP_MD_CTX_new()) {
    HARNESS_CHECK(context_ != nullptr && EVP_DigestInit_ex(context_, EVP_sha256(), nullptr) == 1,
                  "SHA-256 cannot start");
  }
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;
  ~Digest() { EVP_MD_CTX_free(context_); }

  void add(std::string_view bytes) {
    HARNESS_CHECK(EVP_DigestUpdate(context_, bytes.data(), bytes.size()) == 1, "SHA-256 failed");
  }

  std::string hex() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    HARNESS_CHECK(EVP_DigestFinal_ex(context_, digest, &size) == 1, "SHA-256 failed");
    constexpr char kDigits[] = "0123456789abcdef";
    std::string hex;
    for (unsigned int i = 0; i < size; ++i) {
      hex += kDigits[digest[i] >> 4];
      hex += kDigits[digest[i] & 15];
    }
    return hex;
  }

 private:
  EVP_MD_CTX* context_;
};

}  // namespace

std::string sha256_of(std::string_view bytes) {
  Digest digest;
  digest.add(bytes);
  return digest.hex();
}

std::string sha256_of_file(const std::string& path) {
  InputFile file(path);
  Digest digest;
  char chunk[kChunk];
  while (const std::size_t count = file.read(chunk, sizeof chunk)) digest.add({chunk, count});
  return digest.hex();
}

}  // namespace harness
