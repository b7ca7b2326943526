#include "harness/gpu/device/device_front_end.h"

#include <algorithm>

#include "harness/core/check.h"

namespace harness {
namespace {

std::string text_of(const Image& image) {
  return std::to_string(image.height) + " x " + std::to_string(image.width) + " in " +
         std::to_string(image.bytes.size()) + " bytes";
}

bool is_whole(const Image& image) {
  if (image.height < 1 || image.width < 1) return false;
  return image.bytes.size() ==
         3 * static_cast<std::uint64_t>(image.height) * static_cast<std::uint64_t>(image.width);
}

}  // namespace

void DeviceFrontEnd::check(const ModelSource& source) const {
  const auto refuse = [&](const std::string& detail) {
    throw DeviceError(DeviceFault::kWrongShape, place(source), detail);
  };
  if (source.max_batch < 1) refuse("max_batch " + std::to_string(source.max_batch) + ", at least 1");
  int least = 1;
  for (const int batch : source.batches) {
    if (batch < least || batch > source.max_batch)
      refuse("batches with " + std::to_string(batch) + ", allowed: rising, from 1 to max_batch " +
             std::to_string(source.max_batch));
    least = batch + 1;
  }
  if (source.exit_points < kAllExitPoints)
    refuse("exit_points " + std::to_string(source.exit_points) + ", at least 0, or -1 for all");
  const bool none = source.input_height == 0 && source.input_width == 0;
  if (!none && (source.input_height < 1 || source.input_width < 1))
    refuse("input " + std::to_string(source.input_height) + " x " + std::to_string(source.input_width) +
           ", both at least 1, or both 0 for the model's own");
}

DeviceModel DeviceFrontEnd::add(const ModelSource& source, int exit_points) {
  sources_.push_back(source);
  sources_.back().exit_points = exit_points;
  return static_cast<DeviceModel>(sources_.size() - 1);
}

DevicePlace DeviceFrontEnd::place(const ModelSource& source) const {
  DevicePlace place{device_, source.model, 0};
  if (!source.file.empty()) place.model += (place.model.empty() ? "" : " ") + ("of " + source.file);
  return place;
}

DevicePlace DeviceFrontEnd::place(DeviceModel model, std::size_t batch) const {
  DevicePlace found{device_, "number " + std::to_string(model), 0};
  if (model < sources_.size()) found = place(sources_[model]);
  found.batch = static_cast<int>(batch);
  return found;
}

void DeviceFrontEnd::admit(std::uint64_t tag, DeviceModel model, std::span<const Image> images) {
  const auto refuse = [&](DeviceFault fault, const std::string& detail) {
    throw DeviceError(fault, place(model, images.size()), detail);
  };
  if (model >= sources_.size())
    refuse(DeviceFault::kMissingModel, std::to_string(sources_.size()) + " loaded");
  const int most = sources_[model].max_batch;
  if (images.empty()) refuse(DeviceFault::kWrongShape, "no images");
  if (images.size() > static_cast<std::size_t>(most))
    refuse(DeviceFault::kWrongShape, "loaded for batches of at most " + std::to_string(most));
  const auto broken = std::find_if_not(images.begin(), images.end(), is_whole);
  if (broken != images.end())
    refuse(DeviceFault::kWrongShape, "image " + std::to_string(broken - images.begin()) + " is " +
                                         text_of(*broken) + ", 3 x height x width are needed");
  HARNESS_CHECK(outstanding_.size() < Device::kMaxOutstanding, "too many batches outstanding on a device");
  HARNESS_CHECK(std::find(outstanding_.begin(), outstanding_.end(), tag) == outstanding_.end(),
                "two batches of one tag outstanding on a device");
  outstanding_.push_back(tag);
}

void DeviceFrontEnd::push(BatchEnd end) {
  {
    const std::lock_guard lock(mutex_);
    ended_.push_back(std::move(end));
    if (ended_.size() > 1) return;
  }
  if (wake_) wake_();
}

bool DeviceFrontEnd::take(std::vector<BatchEnd>& ended) {
  const std::lock_guard lock(mutex_);
  if (ended_.empty()) return false;
  for (BatchEnd& end : ended_) {
    std::erase(outstanding_, end.tag);
    ended.push_back(std::move(end));
  }
  ended_.clear();
  return true;
}

}  // namespace harness
