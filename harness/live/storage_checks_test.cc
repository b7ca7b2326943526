#include "harness/live/storage_checks.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace harness {
namespace {

TEST(StorageChecksTest, TriesTheNearestFolderThatExistsAndLeavesNothing) {
  std::string name = testing::TempDir() + "/storage-XXXXXX";
  const std::string folder = ::mkdtemp(name.data());
  const Check check = check_output_folder(folder + "/not/yet");
  EXPECT_NE(check.found.find(folder + ": "), std::string::npos) << check.found;
  EXPECT_NE(check.found.find("is safe after"), std::string::npos) << check.found;
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

TEST(StorageChecksTest, AFolderThatTakesNoFilesFails) {
  EXPECT_EQ(check_output_folder("/proc/self").level, CheckLevel::kFail);
}

TEST(StorageChecksTest, SaysWhatHdf5IsTold) {
  const Check unset = check_file_locking(testing::TempDir(), "");
  EXPECT_NE(unset.found.find("is not set"), std::string::npos);
  EXPECT_NE(check_file_locking(testing::TempDir(), "FALSE").found.find("=FALSE"), std::string::npos);
}

TEST(StorageChecksTest, ADatagramComesBack) { EXPECT_EQ(check_own_socket().level, CheckLevel::kOk); }

}  // namespace
}  // namespace harness
