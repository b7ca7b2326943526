#include "harness/files/file_bytes.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <sys/resource.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"

namespace harness {
namespace {

/// Returns what one member of gzip holds.
std::string unpacked(std::string bytes) {
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  std::string text(std::size_t{1} << 22, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

TEST(Packed, UnpacksToTheSame) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919 % 10'007) + "\n";
  EXPECT_EQ(unpacked(packed(text)), text);
  EXPECT_EQ(packed(text), packed(text));
  EXPECT_LT(packed(text).size(), text.size());
  EXPECT_EQ(unpacked(packed("")), "");
}

TEST(ReadFile, RefusesFoldersAndMissingFiles) {
  EXPECT_THROW(read_file("/"), InputError);
  EXPECT_THROW(read_file("/nowhere/at/all"), InputError);
}

TEST(ReadFile, RefusesMoreThanItsBound) {
  const std::string path = (std::filesystem::temp_directory_path() / "harness_read_file").string();
  write_file(path, "");
  for (const std::size_t bound : {std::size_t{1}, kLargestText, kLargestTrace}) {
    std::filesystem::resize_file(path, bound + 1);  // sparse
    try {
      read_file(path, bound);
      ADD_FAILURE() << bound;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(std::to_string(bound >> 20) + " MiB"), std::string::npos);
    }
  }
  std::filesystem::resize_file(path, kLargestText);
  EXPECT_EQ(read_file(path).size(), kLargestText);
  std::filesystem::remove(path);
}

TEST(WriteFile, FollowsNoLink) {
  const std::string path = (std::filesystem::temp_directory_path() / "harness_write_link").string();
  const std::string other = path + ".other";
  write_file(other, "precious");
  const std::string temporary = path + ".tmp" + std::to_string(::getpid());
  for (const std::string& link : {path, temporary}) {
    std::filesystem::create_symlink(other, link);
    write_file(path, "new");
    EXPECT_EQ(read_file(other), "precious") << link;
    EXPECT_EQ(read_file(path), "new") << link;
    EXPECT_FALSE(std::filesystem::is_symlink(path)) << link;
    EXPECT_FALSE(std::filesystem::exists(temporary)) << link;
    std::filesystem::remove(path);
  }
  std::filesystem::remove(other);
}

TEST(WriteFile, ReplacesNoResults) {
  const std::string path = (std::filesystem::temp_directory_path() / "harness_write_results").string();
  for (const std::string& begin :
       {std::string("harness file, XXH3-128 of the rest"), std::string("\x89HDF\r\n\x1a\n")}) {
    std::ofstream(path, std::ios::binary) << begin << std::string(600, 'x');
    EXPECT_THROW(write_file(path, "text"), InputError);
    EXPECT_TRUE(read_file(path).starts_with(begin));
  }
  std::filesystem::remove(path);
}

TEST(WriteFile, DoesNotWaitForTheReaderOfAPipe) {
  const std::string path = (std::filesystem::temp_directory_path() / "harness_write_pipe").string();
  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THROW(write_file(path, "text"), EnvironmentError);
  std::filesystem::remove(path);
}

TEST(WriteFile, PacksByNameAndReplaces) {
  const std::string path = (std::filesystem::temp_directory_path() / "harness_write_file.gz").string();
  write_file(path, "first");
  write_file(path, "second");
  EXPECT_EQ(unpacked(read_file(path)), "second");
  EXPECT_NE(read_file(path), "second");
  std::filesystem::remove(path);
}

TEST(WriteFile, NamesThePathWhenItCannot) {
  try {
    write_file("/nowhere/at/all.txt", "x");
    FAIL();
  } catch (const EnvironmentError& error) {
    EXPECT_EQ(std::string(error.what()).rfind("/nowhere/at/all.txt:", 0), 0U) << error.what();
  }
}

TEST(WriteFile, ReportsAFullDisk) {
  if (!std::filesystem::is_character_file("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_THROW(write_file("/dev/full", "x"), EnvironmentError);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

/// No file of this process becomes longer while it lives: a write takes a part, the next fails with EFBIG.
class FileLengthLimit {
 public:
  explicit FileLengthLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileLengthLimit(const FileLengthLimit&) = delete;
  FileLengthLimit& operator=(const FileLengthLimit&) = delete;
  ~FileLengthLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

// Whatever errno was before, and wherever the limit falls.
TEST(WriteFile, SaysWhyAWriteWasShort) {
  const std::string path = (std::filesystem::temp_directory_path() / "harness_write_short").string();
  constexpr std::size_t kSize = 100'000;
  for (const int before : {0, ENOENT, EEXIST, EINTR}) {
    for (const std::size_t limit : {std::size_t{0}, std::size_t{1}, std::size_t{4096}, kSize - 1}) {
      std::string message;
      try {
        const FileLengthLimit limited(limit);
        errno = before;
        write_file(path, std::string(kSize, 'x'));
      } catch (const EnvironmentError& error) {
        message = error.what();
      }
      EXPECT_EQ(message, path + ": cannot write: " + std::strerror(EFBIG)) << before << " " << limit;
      EXPECT_FALSE(std::filesystem::exists(path));
    }
  }
}

}  // namespace
}  // namespace harness
