#include "harness/machine/remove_mpi_leftovers.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "harness/core/random_stream.h"
#include "harness/machine/host_name.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

/// Folders that replace the host's, with jobs in every state.
class MpiLeftovers : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/mpi-XXXXXX";
    root_ = ::mkdtemp(name.data());
    folders_ = {(root_ / "shm").string(), (root_ / "tmp").string(), (root_ / "proc").string()};
    for (const char* folder : {"shm", "tmp", "proc"}) fs::create_directories(root_ / folder);
  }
  void TearDown() override { fs::remove_all(root_); }

  std::string put(const fs::path& path, const std::string& text = "x") const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
    return (root_ / path).string();
  }
  std::string segment(int job, const std::string& host = host_name()) const {
    return put("shm/vader_segment." + host + "." + std::to_string(::geteuid()) + "." + std::to_string(job) +
               ".0");
  }
  std::string session(int process) const {
    const fs::path folder = fs::path("tmp") / ("ompi." + host_name() + "." + std::to_string(::geteuid())) /
                            ("pid." + std::to_string(process));
    return fs::path(put(folder / "1/0/data")).parent_path().parent_path().parent_path().string();
  }

  fs::path root_;
  MpiFolders folders_;
};

TEST_F(MpiLeftovers, OnlyWhatNobodyHasIsRemoved) {
  std::vector<std::string> gone;
  std::vector<std::string> kept = {
      put("shm/sem.other"), segment(0, "another-host"),
      put("tmp/ompi." + host_name() + "." + std::to_string(::geteuid()) + "/jf.3/x")};
  RandomStream random(7, "jobs");
  for (int job = 1; job <= 60; ++job) {
    const std::string file = segment(job);
    const std::string folder = session(job);
    const std::string process = "proc/" + std::to_string(1000 + job);
    const int state = static_cast<int>(random.below(5));
    if (state == 1) put(process + "/maps", "7f00-7f01 rw-s 00000000 00:19 5    " + file + "\n");
    if (state == 2) {
      fs::create_directories(root_ / process / "fd");
      fs::create_symlink(file, root_ / process / "fd/5");
    }
    if (state == 3) put(process + "/maps", "7f00-7f01 rw-s 00000000 00:19 5    " + folder + "/1/0/data\n");
    if (state == 4) put("proc/" + std::to_string(job) + "/maps", "");
    (state == 1 || state == 2 ? kept : gone).push_back(file);
    (state == 3 || state == 4 ? kept : gone).push_back(folder);
  }
  std::vector<std::string> removed = remove_mpi_leftovers(folders_);
  std::sort(removed.begin(), removed.end());
  std::sort(gone.begin(), gone.end());
  EXPECT_EQ(removed, gone);
  for (const std::string& path : kept) EXPECT_TRUE(fs::exists(path)) << path;
  for (const std::string& path : gone) EXPECT_FALSE(fs::exists(path)) << path;
  EXPECT_TRUE(remove_mpi_leftovers(folders_).empty());
}

TEST_F(MpiLeftovers, AHostWithoutAnyHasNothingToRemove) {
  EXPECT_TRUE(remove_mpi_leftovers({"/nowhere", "/nowhere", "/nowhere"}).empty());
}

}  // namespace
}  // namespace harness
