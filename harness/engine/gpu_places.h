// The places of a cluster's GPUs: which worker has which, and which are stopped.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "harness/serving/plan.h"

namespace harness {

/// Places 0, 1, ...; a place has at most one worker and may be stopped, by several faults at once.
class GpuPlaces {
 public:
  explicit GpuPlaces(int gpus) : places_(static_cast<std::size_t>(gpus)) {}

  /// Gives the worker the place `gpu`, which is free, or without one the lowest that is neither taken nor
  /// stopped; returns it. The slots and threads beyond the cluster's GPUs share the last, which is not
  /// theirs.
  std::uint32_t take(WorkerId worker, std::uint32_t gpu = kNone) {
    while (lowest_ < places_.size() && !is_free(lowest_)) ++lowest_;
    const std::uint32_t taken = gpu != kNone ? gpu : lowest_;
    if (taken >= places_.size())
      return static_cast<std::uint32_t>(std::max<std::size_t>(places_.size(), 1) - 1);
    places_[taken].worker = worker;
    return taken;
  }
  /// The worker has left.
  void release(std::uint32_t gpu, WorkerId worker) {
    if (gpu >= places_.size() || places_[gpu].worker != worker) return;
    places_[gpu].worker = kNone;
    lowest_ = std::min(lowest_, gpu);
  }

  WorkerId worker_at(std::uint32_t gpu) const { return places_[gpu].worker; }
  bool is_free(std::uint32_t gpu) const { return places_[gpu].worker == kNone && places_[gpu].stops == 0; }

  /// Another fault stops the GPU; true if it ran until now.
  bool stop(std::uint32_t gpu) { return places_[gpu].stops++ == 0; }
  /// One of them is over; true if it was the last.
  bool resume(std::uint32_t gpu) {
    lowest_ = std::min(lowest_, gpu);
    return --places_[gpu].stops == 0;
  }
  /// The group that the GPU served when it stopped, kNoGroup if none.
  GroupId& group_at_stop(std::uint32_t gpu) { return places_[gpu].group_at_stop; }
  static constexpr GroupId kNoGroup = 0xffff;

  /// The worker that gets the place when the one that has it has left; kNone if nobody waits for it.
  WorkerId& heir_at(std::uint32_t gpu) { return places_[gpu].heir; }
  /// Gives it the place, if that is free now. Returns it, or kNone.
  WorkerId take_heir(std::uint32_t gpu) {
    if (gpu >= places_.size() || places_[gpu].heir == kNone || !is_free(gpu)) return kNone;
    return places_[gpu].worker = std::exchange(places_[gpu].heir, kNone);
  }

  /// GPUs that stand still without a worker.
  int idle_stopped() const {
    return static_cast<int>(std::count_if(places_.begin(), places_.end(), [](const Place& place) {
      return place.stops > 0 && place.worker == kNone;
    }));
  }

 private:
  struct Place {
    WorkerId worker = kNone;
    WorkerId heir = kNone;
    int stops = 0;
    GroupId group_at_stop = kNoGroup;
  };
  std::vector<Place> places_;
  std::uint32_t lowest_ = 0;  ///< no place below it is free
};

}  // namespace harness
