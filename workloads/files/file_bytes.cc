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

#include "harness/core/error.h"

namespace harness {
namespace {

struct OpenFile {
  explicit OpenFile(int handle) : descriptor(handle) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor >= 0) ::close(descriptor);
  }
  int descriptor;
};

InputError unreadable(const std::string& path, const char* why) {
  return input_error({path, 0, ""}, why, "a readable file");
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
  char chunk[1 << 16];
  for (;;) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk);
    stream.avail_out = sizeof chunk;
    const int state = inflate(&stream, Z_NO_FLUSH);
    text.append(chunk, sizeof chunk - stream.avail_out);
    if (text.size() > kLargestInput) {
      throw input_error({file, 0, ""}, "gzip data that unpack to more than 1 GiB", "at most 1 GiB");
    }
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
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw EnvironmentError(path + ": cannot write: " + std::strerror(errno));
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Whether the path names something that a rename must not replace, such as /dev/stdout.
bool is_special(const std::string& path) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode);
}

void write_special(const std::string& path, std::string_view bytes) {
  OpenFile file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.descriptor < 0) throw EnvironmentError(path + ": cannot open: " + std::strerror(errno));
  write_all(file.descriptor, bytes, path);
}

void write_whole(const std::string& temporary, std::string_view bytes, const std::string& path) {
  OpenFile file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.descriptor < 0) throw EnvironmentError(path + ": cannot create: " + std::strerror(errno));
  write_all(file.descriptor, bytes, path);
  if (::fsync(file.descriptor) != 0) throw EnvironmentError(path + ": cannot write: " + std::strerror(errno));
}

}  // namespace

std::string read_file(const std::string& path) {
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.descriptor < 0) throw unreadable(path, std::strerror(errno));
  struct stat facts {};
  if (::fstat(file.descriptor, &facts) != 0) throw unreadable(path, std::strerror(errno));
  if (S_ISDIR(facts.st_mode)) throw unreadable(path, "a folder");
  std::string bytes;
  char chunk[1 << 16];
  for (;;) {
    const ssize_t count = ::read(file.descriptor, chunk, sizeof chunk);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw unreadable(path, std::strerror(errno));
    if (count == 0) return bytes;
    bytes.append(chunk, static_cast<std::size_t>(count));
    if (bytes.size() > kLargestInput) throw input_error({path, 0, ""}, "more than 1 GiB", "at most 1 GiB");
  }
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

std::string sha256_of(std::string_view bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  const int done = EVP_Digest(bytes.data(), bytes.size(), digest, &size, EVP_sha256(), nullptr);
  HARNESS_CHECK(done == 1, "SHA-256 failed");
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) {
    hex += kDigits[digest[i] >> 4];
    hex += kDigits[digest[i] & 15];
  }
  return hex;
}

std::string sha256_of_file(const std::string& path) { return sha256_of(read_file(path)); }

}  // namespace harness
