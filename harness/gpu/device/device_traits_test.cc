#include "harness/gpu/device/device_traits.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace harness {
namespace {

TEST(KindsOfDevices, AreKnownByTheBeginningOfADevicesName) {
  for (std::size_t i = 0; i < std::size(kDeviceKinds); ++i) {
    const DeviceTraits& kind = kDeviceKinds[i];
    for (const char* rest : {"", " (worker 3)", ":1 NVIDIA H200"})
      EXPECT_EQ(kind_of_device(kind.name + std::string(rest)), static_cast<DeviceKind>(i));
  }
  for (const char* other : {"", "V100", "CPU"}) EXPECT_EQ(kind_of_device(other), std::nullopt) << other;
}

TEST(KindsOfDevices, HaveAllATraitOrNot) {
  const std::vector<std::string> with = device_kinds_with(&DeviceTraits::needs_gpu);
  const std::vector<std::string> without = device_kinds_without(&DeviceTraits::needs_gpu);
  EXPECT_EQ(with.size() + without.size(), std::size(kDeviceKinds));
  EXPECT_EQ(with, std::vector<std::string>{"cuda"});
  for (const DeviceTraits& kind : kDeviceKinds) {
    EXPECT_EQ(std::ranges::count(kind.needs_gpu ? with : without, kind.name), 1);
    EXPECT_FALSE(kind.exchanges_nccl && !kind.needs_gpu) << kind.name << ": NCCL joins GPUs";
    const std::string form = kind.name + std::string(kind.needs_gpu ? ":N" : "");
    EXPECT_NE(text_of_device_forms().find(form), std::string::npos);
    EXPECT_NE(text_of_device_kinds().find(kind.description), std::string::npos);
  }
}

}  // namespace
}  // namespace harness
