// For tests: a machine whose kernel's files are the test's.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "harness/machine/machine_files.h"

namespace harness {

/// A folder that replaces "/", removed at the end.
class FakeMachine : public testing::Test {
 public:
  FakeMachine() {
    std::string name = testing::TempDir() + "/machine-XXXXXX";
    root_ = ::mkdtemp(name.data());
  }
  ~FakeMachine() override { std::filesystem::remove_all(root_); }

 protected:
  void put(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ + "/" + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }
  MachineFiles files() const { return MachineFiles(root_); }

  std::string root_;
};

}  // namespace harness
