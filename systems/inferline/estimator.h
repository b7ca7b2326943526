// InferLine's Estimator (section 4.2): a continuous-time discrete-event simulation of a configuration on a
// sample trace, with queueing, batching, conditional paths and joins.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "harness/core/pipeline.h"
#include "systems/inferline/hardware.h"
#include "systems/inferline/model_configuration.h"
#include "systems/inferline/sample_paths.h"

namespace harness {

/// Returns the shortest latency of a batch of at most `max_batch`.
TimeNs least_latency_ns(const Profile& profile, int max_batch);

/// Simulates what a configuration does to the sample. Each model has one central first-in-first-out queue. A
/// replica that is free takes the waiting visits at once, at most its maximum batch. A join waits for the
/// branches that its query takes. In a task tree a query has ended when all visits that it caused have.
/// Nothing is dropped. The engine does the same with `serving.queue = "module"` and `commit = "late"`,
/// without delays and jitter, to the nanosecond: events at one moment happen in the same order in both.
///
/// Nothing flows back, so the models are simulated one after the other; the ends of the batches before a
/// model are its arrivals. The last results of each model are kept, and one holds as long as the results
/// before the model are the same and a change of its own configuration makes no difference. The speed is 50
/// to 90 M visits/s. The estimator keeps its memory from one call to the next. Single-threaded.
class Estimator {
 public:
  static constexpr int kMaxBatch = 65535;  ///< largest batch that it can hold

  /// `sent_ns` is the sample, in order, from 0 on. Each query takes the path that its number and `seed` give
  /// it in a run (core/routes.h, core/fan_out.h), or one drawn as `draws` says; the first query has the
  /// number `first`. `pipeline` and `hardware` must outlive this. The pipeline has one entry, and if it has
  /// tasks, each has one variant. Throws InputError as sample_paths does.
  Estimator(const Pipeline& pipeline, const Hardware& hardware, std::vector<TimeNs> sent_ns,
            std::uint64_t seed, PathDraws draws = PathDraws::kRoute, RequestId first = 0);

  std::size_t queries() const { return sent_ns_.size(); }
  /// Returns s_m (section 4.1), as measured: the share of the sample's queries that visit the module; in a
  /// task tree the mean number of visits there per query.
  double scale_factor(ModuleId module) const {
    return static_cast<double>(stages_[module].paths.measured) /
           static_cast<double>(std::max<std::size_t>(1, sent_ns_.size()));
  }
  /// Returns the number of visits of the whole sample at all modules.
  std::uint64_t visits() const { return visits_; }
  /// Returns the largest number of visits of the sample at one module.
  std::size_t most_visits() const { return most_visits_; }

  /// Returns the time from sending to the end of each query, in the order of sending. Valid until the next
  /// call.
  std::span<const TimeNs> latencies(const Configuration& configuration);
  /// Returns P99: the least time within which at least 99 % of the queries end.
  TimeNs p99_ns(const Configuration& configuration);
  /// True if P99 <= slo_ns. Stops as soon as more than 1 % of the queries must miss it.
  bool meets(const Configuration& configuration, TimeNs slo_ns);

  /// The behaviour of one module, whatever comes after it.
  struct Trial {
    bool may_meet = false;  ///< true if at most 1 % of the queries are too late when they leave the module
    int most_busy = 0;     ///< most replicas busy at once; if fewer than there are, more would change nothing
    int most_waiting = 0;  ///< most visits waiting for a batch; if no more than the maximum batch, a larger
                           ///< one would change nothing
  };
  /// Simulates the module after the modules before it, which must have been tried in the same configuration;
  /// the modules after it need not be configured. Each query needs at least `least_after_ns` more after it
  /// has left this module.
  Trial try_module(const Configuration& configuration, ModuleId module, TimeNs slo_ns, TimeNs least_after_ns);
  /// Returns, by module, the least time that a query still needs after the module if each module m takes at
  /// least `least_ns[m]`.
  std::vector<TimeNs> least_after(const std::vector<TimeNs>& least_ns) const;
  /// Keeps that many results of each module, at least one, from one call to the next.
  void keep(std::size_t results);
  /// Returns the set of the modules that lead to `module`, itself included: bit m is set for module m.
  std::uint64_t before(ModuleId module) const { return stages_[module].before; }

 private:
  class FromSending;
  class FromOne;
  class FromAll;
  class FromCauses;

  /// The Batch::cause of a batch that a query started when it was sent.
  static constexpr std::uint32_t kSent = std::numeric_limits<std::uint32_t>::max();

  /// A batch: the visits [first, first + count) of the module's queue.
  struct Batch {
    TimeNs end_ns = 0;
    std::uint32_t first = 0;
    std::uint32_t cause = kSent;  ///< the batch of `cause_module` whose end started this one
    std::uint16_t count = 0;
    ModuleId cause_module = 0;
  };
  /// The batches that run, in the order of their ends; among equal ends the one that started first comes
  /// first.
  class Running {
   public:
    void reset(int replicas);
    std::size_t size() const { return last_ - first_; }
    const Batch& front() const { return ring_[first_ & mask_]; }
    Batch pop() { return ring_[first_++ & mask_]; }
    void push(const Batch& batch) {
      std::size_t at = last_++;
      for (; at != first_ && ring_[(at - 1) & mask_].end_ns > batch.end_ns; --at)
        ring_[at & mask_] = ring_[(at - 1) & mask_];
      ring_[at & mask_] = batch;
    }

   private:
    std::vector<Batch> ring_;
    std::size_t mask_ = 0;
    std::size_t first_ = 0;
    std::size_t last_ = 0;
  };
  /// The result of simulating one module.
  struct Result {
    std::uint64_t id = 0;  ///< number among all results ever found; 0: no result
    ModelConfiguration of;
    std::vector<std::uint64_t> inputs;  ///< ids of the results of the modules before it
    std::vector<std::uint32_t> queue;   ///< visits that came, in order
    std::vector<Batch> batches;         ///< batches in the order of their ends; the first `ended` are valid
    std::size_t ended = 0;
    std::size_t most_busy = 0;     ///< most replicas busy at once
    std::size_t most_waiting = 0;  ///< most visits waiting when a batch started, including its own
    std::uint64_t used = 0;        ///< number of the last simulation that took it

    /// True if the configuration `other` of the model does the same with the same arrivals: it differs at
    /// most in the number of replicas and the maximum batch, and a number that differs was never the limit.
    bool is_of(const ModelConfiguration& other) const;
  };
  /// One module of the pipeline.
  struct Stage {
    ModelPaths paths;
    std::uint64_t before = 0;  ///< set of modules that before() returns
    std::vector<Result> kept{2};
    std::size_t now = 0;                 ///< index in `kept` of the present configuration's result
    const TimeNs* latency_ns = nullptr;  ///< latency of a batch of b in the present configuration, at [b - 1]

    const Result& result() const { return kept[now]; }
  };

  /// Simulates all modules. Stops and returns false if one module's simulation shows that more than
  /// `most_late` queries must miss `slo_ns`.
  bool simulate(const Configuration& configuration, TimeNs slo_ns, std::size_t most_late);
  /// True if a kept result of the module holds, which `now` then names; else `now` is the place for a new
  /// result.
  bool find_result(ModuleId module, const ModelConfiguration& of);
  /// Calls find_result and, if no kept result holds, serve.
  bool simulate(ModuleId module, const ModelConfiguration& of, TimeNs slo_ns, std::size_t most_late);
  /// Finds a module's result from its arrivals. Stops and returns false if more than `most_late` queries
  /// cannot end within `slo_ns` any more when they leave the module.
  template <class Arrivals>
  bool serve(ModuleId module, const ModelConfiguration& of, Arrivals arrivals, TimeNs slo_ns,
             std::size_t most_late);
  /// True if `batch` comes before `other` when the ends, or the starts, of these batches of two modules
  /// coincide.
  bool started_before(ModuleId module, Batch batch, ModuleId other_module, Batch other) const;
  /// Returns the place of `module` in the order in which the end of a batch of `cause` affects modules.
  std::size_t place_after(ModuleId cause, ModuleId module) const;
  /// Fills latency_ns_ from the present results.
  void find_latencies();

  const Pipeline& pipeline_;
  const Hardware& hardware_;
  std::vector<TimeNs> sent_ns_;
  std::vector<Stage> stages_;
  std::uint64_t visits_ = 0;
  std::size_t most_visits_ = 0;

  std::uint64_t simulations_ = 0;
  std::uint64_t results_ = 0;
  Running running_;
  std::vector<TimeNs> least_after_ns_;  ///< least time that a query still needs after it, by module
  std::vector<std::uint8_t> arrived_;   ///< number of branches that have come to the join, by query
  std::vector<std::uint8_t> is_late_;   ///< 1 if one of its visits at the task is late, by query
  std::vector<TimeNs> latency_ns_;      ///< latency of each query
  std::vector<TimeNs> sorted_ns_;       ///< scratch memory of p99_ns()
};

}  // namespace harness
