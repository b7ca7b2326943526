// InferLine's Estimator (section 4.2): a continuous-time discrete-event simulation of a configuration on a
// sample trace, with queueing, batching, conditional paths and joins.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/routes.h"
#include "systems/inferline/configuration.h"

namespace harness {

/// What a configuration does to the sample: one central first-in-first-out queue a model; a replica that is
/// free takes what waits, at most its maximum batch, at once; a join waits for the branches that its query
/// takes; nothing is dropped. That is what the engine does with `serving.queue = "module"` and `commit =
/// "late"` without delays and jitter, to the nanosecond: what happens at one moment happens in the same order
/// in both. Memory of its own is kept from one call to the next. Single-threaded.
class Estimator {
 public:
  /// `sent_ns`: the sample, in order, from 0 on. Each query takes the route of its number and `seed`, as in a
  /// run (core/routes.h). `pipeline` and `hardware` outlive this; the pipeline has one entry and no tasks.
  Estimator(const Pipeline& pipeline, const Hardware& hardware, std::vector<TimeNs> sent_ns,
            std::uint64_t seed);

  std::size_t queries() const { return sent_ns_.size(); }
  /// s_m (section 4.1), measured: the share of the sample's queries that visit the module.
  double scale_factor(ModuleId module) const { return scale_[module]; }
  /// Visits of the whole sample, at all modules.
  std::uint64_t visits() const { return visits_; }

  /// The time from sending to the end of each query, in the order of sending. Valid until the next call.
  std::span<const TimeNs> latencies(const Configuration& configuration);
  /// P99: the least time within which at least 99 % of the queries end.
  TimeNs p99_ns(const Configuration& configuration);
  /// Whether P99 <= slo_ns; stops as soon as more than 1 % have missed it.
  bool meets(const Configuration& configuration, TimeNs slo_ns);

 private:
  /// The end of a batch: the visits [first, first + count) of the module's queue.
  struct BatchEnd {
    TimeNs at_ns = 0;
    std::uint64_t order = 0;  ///< batches started before it
    std::uint32_t first = 0;
    std::uint16_t count = 0;
    ModuleId module = 0;

    bool operator>(const BatchEnd& other) const {
      return at_ns != other.at_ns ? at_ns > other.at_ns : order > other.order;
    }
  };
  /// One module while a configuration is simulated. Each query visits it at most once, so its queue is all
  /// that ever arrived, in order, of which [head, tail) waits.
  struct Stage {
    std::vector<std::uint32_t> queue;
    std::uint32_t head = 0;
    std::uint32_t tail = 0;
    int idle = 0;
    std::uint32_t max_batch = 1;
    const TimeNs* latency_ns = nullptr;  ///< [b - 1]
  };

  /// False: more than `most_misses` queries were later than `slo_ns`, and it stopped.
  bool simulate(const Configuration& configuration, TimeNs slo_ns, std::size_t most_misses);
  void reset(const Configuration& configuration);
  void arrive(TimeNs now, ModuleId module, std::uint32_t query);
  void start_batch(TimeNs now, ModuleId module);
  /// Sends on what the batch served; true: another query is later than the SLO.
  void end_batch(const BatchEnd& batch, TimeNs slo_ns);
  void push(const BatchEnd& end);
  BatchEnd pop();

  const Pipeline& pipeline_;
  const Hardware& hardware_;
  std::vector<TimeNs> sent_ns_;
  Routes routes_;
  std::vector<std::uint16_t> route_of_;   ///< by query; empty where all take one route
  std::vector<std::uint16_t> length_of_;  ///< by route: modules that it visits
  std::vector<double> scale_;             ///< by module
  std::uint64_t visits_ = 0;

  std::vector<Stage> stages_;
  std::vector<BatchEnd> ends_;  ///< a heap, the next first
  std::uint64_t started_ = 0;   ///< batches
  std::size_t misses_ = 0;
  std::vector<std::uint16_t> left_;      ///< by query: visits that have not ended
  std::vector<std::uint16_t> branches_;  ///< by query and module: branches that have come to a join
  std::vector<TimeNs> latency_ns_;       ///< by query
  std::vector<TimeNs> sorted_ns_;        ///< scratch
};

}  // namespace harness
