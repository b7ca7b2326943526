#include "workloads/files/file_bytes.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "harness/core/error.h"

namespace harness {
namespace {

TEST(Packed, UnpacksToTheSame) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919 % 10'007) + "\n";
  EXPECT_EQ(unpacked("f", packed(text)), text);
  EXPECT_EQ(packed(text), packed(text));
  EXPECT_LT(packed(text).size(), text.size());
  EXPECT_EQ(unpacked("f", packed("")), "");
  EXPECT_EQ(unpacked("f", "plain"), "plain");
}

TEST(Unpacked, RefusesEveryTruncation) {
  const std::string whole = packed("0.5\n1.5\n2.5\n3.5\n");
  for (std::size_t size = 2; size < whole.size(); ++size) {
    EXPECT_THROW(unpacked("f", whole.substr(0, size)), InputError) << size;
  }
}

TEST(ReadFile, RefusesFoldersAndMissingFiles) {
  EXPECT_THROW(read_file("/"), InputError);
  EXPECT_THROW(read_file("/nowhere/at/all"), InputError);
}

TEST(WriteFile, PacksByNameAndReplaces) {
  const std::string path = (std::filesystem::temp_directory_path() / "harness_write_file.gz").string();
  write_file(path, "first");
  write_file(path, "second");
  EXPECT_EQ(unpacked(path, read_file(path)), "second");
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

}  // namespace
}  // namespace harness
