#include "harness/doctor/host_checks.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "harness/machine/test_checks.h"

namespace harness {
namespace {

TEST(HostChecks, TriesTheNearestFolderThatExistsAndLeavesNothing) {
  std::string name = testing::TempDir() + "/storage-XXXXXX";
  const std::string folder = ::mkdtemp(name.data());
  const Check check = check_output_folder(folder + "/not/yet");
  expect_check(check, check.level, {(folder + ": ").c_str(), "is safe after"});
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

TEST(HostChecks, AFolderThatTakesNoFilesFails) {
  EXPECT_EQ(check_output_folder("/proc/self").level, CheckLevel::kFail);
}

TEST(HostChecks, SaysWhatHdf5IsTold) {
  expect_check(check_file_locking(testing::TempDir(), ""), CheckLevel::kOk, {"is not set"});
  expect_check(check_file_locking(testing::TempDir(), "FALSE"), CheckLevel::kOk, {"=FALSE"});
}

TEST(HostChecks, ADatagramComesBack) { EXPECT_EQ(check_own_socket().level, CheckLevel::kOk); }

}  // namespace
}  // namespace harness
