#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>

#include "harness/core/input_error.h"
#include "harness/gpu/device/device_error.h"
#include "harness/machine/nvidia_driver_version.h"

namespace harness {
namespace {

TEST(DeviceError, NamesDeviceModelBatchAndWhatFailed) {
  const DeviceError error(DeviceFault::kOutOfMemory, {"cuda:0", "resnet50", 8}, "tried to allocate 2 GiB");
  EXPECT_STREQ(error.what(),
               "device cuda:0: model resnet50, batch 8: out of memory: tried to allocate 2 GiB");
  EXPECT_EQ(error.fault(), DeviceFault::kOutOfMemory);
}

TEST(DeviceError, LeavesOutWhatIsUnknown) {
  EXPECT_STREQ(DeviceError(DeviceFault::kDeviceLost, {"cpu", "", 0}, "").what(), "device cpu: device lost");
  EXPECT_STREQ(DeviceError(DeviceFault::kMissingModel, {"", "lenet", 0}, "none").what(),
               "model lenet: missing model: none");
  EXPECT_STREQ(DeviceError(DeviceFault::kWrongShape, {"cpu", "", 3}, "").what(),
               "device cpu: batch 3: wrong shape");
}

TEST(DeviceError, IsOneLineOfBoundedLength) {
  const DeviceError lines(DeviceFault::kNotAModel, {"cpu", "m\nn", 0}, "a\r\nb\tc");
  EXPECT_STREQ(lines.what(), "device cpu: model m n: not a model: a  b c");
  EXPECT_STREQ(DeviceError(DeviceFault::kNotAModel, {"cpu", "m", 0}, "a file \n").what(),
               "device cpu: model m: not a model: a file");
  const DeviceError longer(DeviceFault::kComputeFailed, {}, std::string(100000, 'x'));
  const std::string text = longer.what();
  EXPECT_LT(text.size(), 500U);
  EXPECT_EQ(text.substr(text.size() - 4), "x...");
}

TEST(DeviceError, IsAnEnvironmentThatFails) {
  EXPECT_THROW(throw DeviceError(DeviceFault::kComputeFailed, {}, ""), EnvironmentError);
}

TEST(DeviceError, GetsThePlaceThatAFailedCallDoesNotKnow) {
  const DevicePlace place{"cuda:0 H100", "lenet", 4};
  const DeviceError call(DeviceFault::kComputeFailed, {"cuda:0", "", 0}, "cudaGraphLaunch: no");
  EXPECT_STREQ(call.at(place).what(),
               "device cuda:0 H100: model lenet, batch 4: compute failed: cudaGraphLaunch: no");
  EXPECT_EQ(call.at(place).fault(), DeviceFault::kComputeFailed);
  const DeviceError model(DeviceFault::kWrongShape, {"cuda:0", "mine", 2}, "scalar");
  EXPECT_STREQ(model.at(place).what(), model.what());
}

/// Returns what caught_at() makes of an exception.
template <typename Exception>
DeviceError caught(const Exception& exception) {
  try {
    throw exception;
  } catch (...) {
    return caught_at({"cpu", "lenet", 2});
  }
}

TEST(DeviceError, IsMadeOfWhateverABatchThrows) {
  EXPECT_STREQ(caught(std::bad_alloc()).what(), "device cpu: model lenet, batch 2: out of memory");
  EXPECT_STREQ(caught(InputError("3 x 0")).what(), "device cpu: model lenet, batch 2: wrong shape: 3 x 0");
  EXPECT_EQ(caught(std::runtime_error("no")).fault(), DeviceFault::kComputeFailed);
  EXPECT_EQ(caught(5).fault(), DeviceFault::kComputeFailed);
  EXPECT_STREQ(caught(DeviceError(DeviceFault::kDeviceLost, {}, "xid")).what(),
               "device cpu: model lenet, batch 2: device lost: xid");
}

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
