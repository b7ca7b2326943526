// The places of a cluster's GPUs: which worker has which, which are stopped, and which belong to one server.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "harness/core/types.h"
#include "harness/serving/plan.h"

namespace harness {

/// The places 0, 1, ... of the GPUs, one kind of device after the other. A place has at most one worker and
/// may be stopped, by several faults at once. If GPUs belong to servers, place p is in server p / per_server,
/// and a worker may have several places of one server.
class GpuPlaces {
 public:
  /// `counts` has the number of GPUs of each kind. `per_server` is the number of GPUs of a server, of which a
  /// single kind has a multiple; 0: no servers.
  explicit GpuPlaces(const std::vector<int>& counts, int per_server = 0)
      : per_server_(static_cast<std::uint32_t>(per_server)) {
    for (const int count : counts) {
      const auto begin = static_cast<std::uint32_t>(places_.size());
      places_.resize(places_.size() + static_cast<std::size_t>(count));
      kinds_.push_back({begin, static_cast<std::uint32_t>(places_.size()), begin});
    }
  }

  /// Gives the worker the place `gpu`, which is free, or, if it is kNone, the lowest place of the kind that
  /// is neither taken nor stopped; returns the place. The slots and threads beyond the cluster's GPUs share
  /// the last place, which is not theirs.
  std::uint32_t take(WorkerId worker, std::size_t kind = 0, std::uint32_t gpu = kNone) {
    Kind& own = kinds_[kind];
    while (own.lowest < own.end && !is_free(own.lowest)) ++own.lowest;
    const std::uint32_t taken = gpu != kNone ? gpu : own.lowest;
    if (taken >= own.end) return std::max(own.end, own.begin + 1) - 1;
    places_[taken].worker = worker;
    return taken;
  }
  /// Frees the place of a worker that has left.
  void release(std::uint32_t gpu, WorkerId worker) {
    if (gpu >= places_.size() || places_[gpu].worker != worker) return;
    places_[gpu].worker = kNone;
    may_be_free(gpu);
  }

  std::uint32_t servers() const {
    return per_server_ == 0 ? 0 : static_cast<std::uint32_t>(places_.size()) / per_server_;
  }
  std::uint32_t server_of(std::uint32_t gpu) const { return gpu / per_server_; }
  /// Returns the number of GPUs of the server that a worker may take.
  int free_of(std::uint32_t server) const {
    const auto is_free = [](const Place& place) { return place.worker == kNone && place.stops == 0; };
    return static_cast<int>(std::count_if(begin_of(server), begin_of(server + 1), is_free));
  }
  /// True if none of the server's GPUs runs.
  bool is_stopped(std::uint32_t server) const {
    return std::all_of(begin_of(server), begin_of(server + 1),
                       [](const Place& place) { return place.stops > 0; });
  }
  /// Gives the worker `gpus` free places of the server: first `gpu_first` (which is free), unless it is
  /// kNone, and then the lowest. Returns the lowest of them.
  std::uint32_t take_of(std::uint32_t server, WorkerId worker, int gpus, std::uint32_t gpu_first = kNone) {
    std::uint32_t first = gpu_first;
    if (gpu_first != kNone) {
      places_[gpu_first].worker = worker;
      --gpus;
    }
    for (std::uint32_t gpu = server * per_server_; gpus > 0 && gpu < (server + 1) * per_server_; ++gpu) {
      if (!is_free(gpu)) continue;
      places_[gpu].worker = worker;
      first = std::min(first, gpu);
      --gpus;
    }
    return first;
  }
  /// Frees the places that a worker which has left had in the server.
  void release_of(std::uint32_t server, WorkerId worker) {
    for (std::uint32_t gpu = server * per_server_; gpu < (server + 1) * per_server_; ++gpu)
      release(gpu, worker);
  }

  WorkerId worker_at(std::uint32_t gpu) const { return places_[gpu].worker; }
  bool is_free(std::uint32_t gpu) const { return places_[gpu].worker == kNone && places_[gpu].stops == 0; }

  /// Stops the GPU for another fault; returns true if it ran until now.
  bool stop(std::uint32_t gpu) { return places_[gpu].stops++ == 0; }
  /// Ends one of its stops; returns true if it was the last.
  bool resume(std::uint32_t gpu) {
    may_be_free(gpu);
    return --places_[gpu].stops == 0;
  }
  /// Returns the group that the GPU served when it stopped; kNoGroup if it served none.
  GroupId& group_at_stop(std::uint32_t gpu) { return places_[gpu].group_at_stop; }
  static constexpr GroupId kNoGroup = 0xffff;

  /// Returns the worker that gets the place when its present worker has left; kNone if nobody waits for it.
  WorkerId& heir_at(std::uint32_t gpu) { return places_[gpu].heir; }
  /// Gives that worker the place, if it is free now. Returns the worker, or kNone.
  WorkerId take_heir(std::uint32_t gpu) {
    if (gpu >= places_.size() || places_[gpu].heir == kNone || !is_free(gpu)) return kNone;
    return places_[gpu].worker = std::exchange(places_[gpu].heir, kNone);
  }

  /// Returns the number of GPUs of the kind that are stopped and have no worker.
  int idle_stopped(std::size_t kind = 0) const {
    const auto place = [this](std::uint32_t gpu) { return places_.begin() + gpu; };
    return static_cast<int>(
        std::count_if(place(kinds_[kind].begin), place(kinds_[kind].end),
                      [](const Place& one) { return one.stops > 0 && one.worker == kNone; }));
  }
  int count(std::size_t kind) const { return static_cast<int>(kinds_[kind].end - kinds_[kind].begin); }
  std::size_t kinds() const { return kinds_.size(); }

 private:
  struct Place {
    WorkerId worker = kNone;
    WorkerId heir = kNone;
    int stops = 0;
    GroupId group_at_stop = kNoGroup;
  };
  struct Kind {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t lowest = 0;  ///< no place of the kind below it is free
  };
  void may_be_free(std::uint32_t gpu) {
    for (Kind& kind : kinds_) {
      if (gpu < kind.end) {
        kind.lowest = std::min(kind.lowest, gpu);
        return;
      }
    }
  }
  std::vector<Place>::const_iterator begin_of(std::uint32_t server) const {
    return places_.begin() + server * per_server_;
  }

  std::uint32_t per_server_;
  std::vector<Place> places_;
  std::vector<Kind> kinds_;
};

}  // namespace harness
