#include "harness/gpu/gpu_clocks.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace harness {
namespace {

TEST(NvidiaDriver, IsReadFromTheKernelModulesOwnLine) {
  namespace fs = std::filesystem;
  const fs::path root = fs::path(testing::TempDir()) / ("nvidia_driver_" + std::to_string(::getpid()));
  fs::create_directories(root / "proc/driver/nvidia");
  EXPECT_EQ(nvidia_driver_version(root.string()), "");
  const auto version_of = [&root](const std::string& line) {
    std::ofstream(root / "proc/driver/nvidia/version") << line << "\nGCC version:  gcc version 12.2.0\n";
    return nvidia_driver_version(root.string());
  };
  EXPECT_EQ(
      version_of("NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5 22:23:56 UTC 2024"),
      "550.54.15");
  EXPECT_EQ(version_of("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build"),
            "580.95.05");
  EXPECT_EQ(version_of("NVRM version: unknown"), "");
  fs::remove_all(root);
}

}  // namespace
}  // namespace harness
