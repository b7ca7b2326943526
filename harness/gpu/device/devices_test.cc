#include "harness/gpu/device/devices.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/core/input_error.h"

namespace harness {
namespace {

// A device that the list calls usable can be made; any other gives one clear line.
TEST(ListDevices, AgreesWithMakeDevice) {
  const std::vector<DeviceInfo> devices = list_devices();
  const auto has = [&](const char* name) {
    return std::any_of(devices.begin(), devices.end(),
                       [&](const DeviceInfo& info) { return info.name == name; });
  };
  EXPECT_TRUE(has("cpu"));
  EXPECT_TRUE(has("null"));
  for (const DeviceInfo& info : devices) {
    EXPECT_FALSE(info.description.empty());
    DeviceSpec spec = parse_device(info.name, "k");
    EXPECT_EQ(spec.kind, info.kind);
    if (info.is_usable) {
      const std::string name = make_device(spec, [] {})->name();
      EXPECT_EQ(name.rfind(info.name, 0), 0U) << name;
      spec.worker = 3;
      EXPECT_EQ(make_device(spec, [] {})->name(), name + " (worker 3)");
    } else {
      EXPECT_THROW(make_device(spec, [] {}), InputError) << info.name;
    }
  }
}

TEST(CheckModel, KnowsTheModelsOfTheZoo) {
  ModelSource source;
  source.model = "no such model";
  EXPECT_NO_THROW(check_model({DeviceKind::kNull, 0, 1}, source, "k"));
  const std::vector<std::string> names = zoo_model_names();
  EXPECT_EQ(names.empty(), execution_libraries().empty());
  if (names.empty()) return;
  for (const ModelInfo& model : list_models())
    EXPECT_TRUE(model.parameters > 0 && model.input_height > 0 && model.input_width > 0 &&
                !model.source.empty());
  EXPECT_THROW(check_model({DeviceKind::kCpu, 0, 1}, source, "k"), InputError);
  source.file = "/nowhere/at/all.pt";
  EXPECT_THROW(check_model({DeviceKind::kCpu, 0, 1}, source, "k"), InputError);
  source.file.clear();
  source.model = names.front();
  EXPECT_NO_THROW(check_model({DeviceKind::kCpu, 0, 1}, source, "k"));
}

}  // namespace
}  // namespace harness
