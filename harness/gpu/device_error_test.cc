#include "harness/gpu/device_error.h"

#include <gtest/gtest.h>

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
  const DeviceError longer(DeviceFault::kComputeFailed, {}, std::string(100000, 'x'));
  const std::string text = longer.what();
  EXPECT_LT(text.size(), 500U);
  EXPECT_EQ(text.substr(text.size() - 4), "x...");
}

TEST(DeviceError, IsAnEnvironmentThatFails) {
  EXPECT_THROW(throw DeviceError(DeviceFault::kComputeFailed, {}, ""), EnvironmentError);
}

}  // namespace
}  // namespace harness
