#include "harness/gpu/threaded_device.h"

#include <algorithm>
#include <utility>

#include "harness/core/steady_clock.h"

namespace harness {
ThreadedDevice::ThreadedDevice(std::string name, std::unique_ptr<BatchEngine> engine, Wake wake)
    : desk_(std::move(name)), engine_(std::move(engine)), ended_(std::move(wake)) {}

ThreadedDevice::~ThreadedDevice() {
  for (Slot& slot : slots_) slot.batch.stop = true;
}

DeviceModel ThreadedDevice::load(const ModelSource& source) {
  desk_.check(source);
  int points = 0;
  thread_.post_and_wait([&] {
    const DevicePlace place = desk_.place(source);
    try {
      if (lost_) throw DeviceError(DeviceFault::kDeviceLost, place, "");
      points = engine_->load(source, place);
    } catch (...) {
      const DeviceError error = caught_at(place);
      if (error.fault() == DeviceFault::kDeviceLost) lost_ = true;
      throw DeviceError(error);
    }
    memory_ = engine_->memory();
  });
  exit_points_.push_back(points);
  return desk_.add(source);
}

void ThreadedDevice::submit(std::uint64_t tag, DeviceModel model, std::span<const Picture> pictures) {
  if (lost_) throw DeviceError(DeviceFault::kDeviceLost, desk_.place(model, pictures.size()), "");
  desk_.admit(tag, model, pictures);
  const auto slot = std::find_if(slots_.begin(), slots_.end(), [](const Slot& one) { return !one.used; });
  SubmittedBatch& batch = slot->batch;
  slot->used = true;
  batch.tag = tag;
  batch.model = model;
  batch.place = desk_.place(model, pictures.size());
  batch.pictures.assign(pictures.begin(), pictures.end());
  batch.stop = false;
  thread_.post([this, &batch] { run(batch); });
}

void ThreadedDevice::run(const SubmittedBatch& batch) {
  BatchEnd end;
  end.tag = batch.tag;
  end.started_ns = steady_ns();
  try {
    if (lost_) throw DeviceError(DeviceFault::kDeviceLost, batch.place, "");
    end.preempted = batch.stop || !engine_->run(batch);
  } catch (...) {
    const DeviceError error = caught_at(batch.place);
    if (error.fault() == DeviceFault::kDeviceLost) lost_ = true;
    end.failure = error.what();
    end.fault = error.fault();
  }
  end.ended_ns = steady_ns();
  ended_.push(std::move(end));
}

ThreadedDevice::Slot* ThreadedDevice::slot_of(std::uint64_t tag) {
  const auto same = [tag](const Slot& slot) { return slot.used && slot.batch.tag == tag; };
  const auto slot = std::find_if(slots_.begin(), slots_.end(), same);
  return slot == slots_.end() ? nullptr : &*slot;
}

void ThreadedDevice::preempt(std::uint64_t tag) {
  if (Slot* const slot = slot_of(tag)) slot->batch.stop = true;
}

bool ThreadedDevice::take(std::vector<BatchEnd>& ended) {
  const std::size_t before = ended.size();
  if (!ended_.take(ended)) return false;
  const std::span<const BatchEnd> taken = std::span(ended).subspan(before);
  for (const BatchEnd& end : taken) slot_of(end.tag)->used = false;
  desk_.release(taken);
  return true;
}

}  // namespace harness
