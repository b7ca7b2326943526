#include "harness/gpu/device/device_spec.h"

#include <gtest/gtest.h>

#include "harness/core/input_error.h"

namespace harness {
namespace {

TEST(ParseDevice, TakesKindsAndNumbersOfGpus) {
  EXPECT_EQ(parse_device("cpu", "k").kind, DeviceKind::kCpu);
  EXPECT_EQ(parse_device("null", "k").kind, DeviceKind::kNull);
  EXPECT_EQ(parse_device("cuda", "k").index, 0);
  const DeviceSpec second = parse_device("cuda:12", "k");
  EXPECT_EQ(second.kind, DeviceKind::kCuda);
  EXPECT_EQ(second.index, 12);
  for (const char* wrong : {"", "tpu", "cuda:", "cuda:-1", "cuda:1x", "cuda: 1", "cpu:1", "null:0", "CPU"}) {
    try {
      parse_device(wrong, "--device");
      ADD_FAILURE() << "accepted " << wrong;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).rfind("--device: found '", 0), 0U) << error.what();
    }
  }
}

}  // namespace
}  // namespace harness
