#include "harness/files/sha256.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "harness/files/file_bytes.h"

namespace harness {
namespace {

TEST(Sha256, OfAFileIsThatOfItsBytes) {
  const std::string path = (std::filesystem::temp_directory_path() / "harness_sha256").string();
  for (const std::size_t size : {0U, 1U, 65'535U, 65'536U, 200'000U}) {
    const std::string text(size, 'x');
    write_file(path, text);
    EXPECT_EQ(sha256_of_file(path), sha256_of(text)) << size;
  }
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace harness
