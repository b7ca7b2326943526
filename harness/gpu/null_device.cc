#include "harness/gpu/null_device.h"

#include <algorithm>
#include <utility>

#include "harness/core/steady_clock.h"

namespace harness {

DeviceModel NullDevice::load(const ModelSource& source) {
  desk_.check(source);
  exit_points_.push_back(std::max(source.exit_points, 0));
  return desk_.add(source);
}

void NullDevice::submit(std::uint64_t tag, DeviceModel model, std::span<const Picture> pictures) {
  desk_.admit(tag, model, pictures);
  BatchEnd end;
  end.tag = tag;
  end.started_ns = end.ended_ns = steady_ns();
  ended_.push(std::move(end));
}

bool NullDevice::take(std::vector<BatchEnd>& ended) {
  const std::size_t before = ended.size();
  if (!ended_.take(ended)) return false;
  desk_.release(std::span(ended).subspan(before));
  return true;
}

MemoryUse NullDevice::memory() const {
  MemoryUse use;
  use.model_bytes.resize(desk_.models());
  return use;
}

}  // namespace harness
