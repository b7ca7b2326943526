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
#include "systems/inferline/configuration.h"
#include "systems/inferline/sample_paths.h"

namespace harness {

/// Of a batch of at most `max_batch`.
TimeNs least_latency_ns(const Profile& profile, int max_batch);

/// What a configuration does to the sample: one central first-in-first-out queue a model; a replica that is
/// free takes what waits, at most its maximum batch, at once; a join waits for the branches that its query
/// takes; of a task tree a query has ended when all have that it caused; nothing is dropped. That is what the
/// engine does with `serving.queue = "module"` and `commit = "late"` without delays and jitter, to the
/// nanosecond: what happens at one moment happens in the same order in both.
///
/// Nothing flows back, so the models are simulated one after the other, each with the ends of those before it
/// as its arrivals. The last results of each are kept, and hold where what is before it has not changed and
/// its own change makes no difference. 50 to 90 M visits/s. Memory of its own is kept from one call to the
/// next. Single-threaded.
class Estimator {
 public:
  /// `sent_ns`: the sample, in order, from 0 on. Each query takes the path of its number and `seed`, as in a
  /// run (core/routes.h, core/fan_out.h), or as `draws` says; the first has the number `first`. `pipeline`
  /// and `hardware` outlive this; the pipeline has one entry, and its tasks, if it has any, one variant each.
  /// Throws InputError as sample_paths.
  Estimator(const Pipeline& pipeline, const Hardware& hardware, std::vector<TimeNs> sent_ns,
            std::uint64_t seed, PathDraws draws = PathDraws::kRoute, RequestId first = 0);

  std::size_t queries() const { return sent_ns_.size(); }
  /// s_m (section 4.1), measured: the share of the sample's queries that visit the module; of a task tree the
  /// visits there of a query.
  double scale_factor(ModuleId module) const {
    return static_cast<double>(stages_[module].paths.measured) /
           static_cast<double>(std::max<std::size_t>(1, sent_ns_.size()));
  }
  /// Visits of the whole sample, at all modules.
  std::uint64_t visits() const { return visits_; }
  /// The most at one module.
  std::size_t most_visits() const { return most_visits_; }

  /// The time from sending to the end of each query, in the order of sending. Valid until the next call.
  std::span<const TimeNs> latencies(const Configuration& configuration);
  /// P99: the least time within which at least 99 % of the queries end.
  TimeNs p99_ns(const Configuration& configuration);
  /// Whether P99 <= slo_ns; stops as soon as more than 1 % must miss it.
  bool meets(const Configuration& configuration, TimeNs slo_ns);

  /// What one module does, whatever comes after it.
  struct Trial {
    bool may_meet = false;  ///< at most 1 % have no chance of ending within the SLO when they leave it
    int most_busy = 0;      ///< replicas at once; fewer than there are: more of them would change nothing
    int most_waiting = 0;  ///< for a batch; no more than the maximum batch: a larger one would change nothing
  };
  /// Simulates the module behind those before it, which have been tried in the same configuration; what comes
  /// after it need not be configured. `least_after_ns`: each query there needs at least so long from its end
  /// on.
  Trial try_module(const Configuration& configuration, ModuleId module, TimeNs slo_ns, TimeNs least_after_ns);
  /// By module: what each query has to run behind it at least, with `least_ns` for each module.
  std::vector<TimeNs> least_after(const std::vector<TimeNs>& least_ns) const;
  /// Keeps so many results of each module, at least one, from one call to the next.
  void keep(std::size_t results);
  /// Of the modules that lead to `module`, itself included: bit m is set.
  std::uint64_t before(ModuleId module) const { return stages_[module].before; }

 private:
  class FromSending;
  class FromOne;
  class FromAll;
  class FromCauses;

  /// Of batches that the sending of a query started, as Batch::cause.
  static constexpr std::uint32_t kSent = std::numeric_limits<std::uint32_t>::max();

  /// The visits [first, first + count) of the module's queue.
  struct Batch {
    TimeNs end_ns = 0;
    std::uint32_t first = 0;
    std::uint32_t cause = kSent;  ///< the batch of `cause_module` whose end started this one
    std::uint16_t count = 0;
    ModuleId cause_module = 0;
  };
  /// Batches that run, the next to end first; of equal ends the one that started first.
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
  /// What one module did.
  struct Result {
    std::uint64_t id = 0;  ///< of all results ever found; 0: none
    ModelConfiguration of;
    std::vector<std::uint64_t> inputs;  ///< ids of the results of the modules before it
    std::vector<std::uint32_t> queue;   ///< the visits that came, in order
    std::vector<Batch> batches;         ///< in the order of their ends; the first `ended` of them
    std::size_t ended = 0;
    std::size_t most_busy = 0;     ///< replicas at once
    std::size_t most_waiting = 0;  ///< when a batch started, those in it included
    std::uint64_t used = 0;        ///< the last simulation that took it

    /// Whether another configuration of the model does the same with the same arrivals: the number of
    /// replicas, or the maximum batch, is another one, but neither one was ever reached.
    bool is_of(const ModelConfiguration& other) const;
  };
  /// One module.
  struct Stage {
    ModelPaths paths;
    std::uint64_t before = 0;  ///< as before()
    std::vector<Result> kept{2};
    std::size_t now = 0;                 ///< of `kept`: the present configuration's
    const TimeNs* latency_ns = nullptr;  ///< there, [b - 1]

    const Result& result() const { return kept[now]; }
  };

  /// False: at one module alone more than `most_late` queries became later than `slo_ns`, and it stopped.
  bool simulate(const Configuration& configuration, TimeNs slo_ns, std::size_t most_late);
  /// Whether what is kept of the module holds; else `now` is the place for a new result.
  bool find_result(ModuleId module, const ModelConfiguration& of);
  /// find_result, or else serve.
  bool simulate(ModuleId module, const ModelConfiguration& of, TimeNs slo_ns, std::size_t most_late);
  /// A module's result by its arrivals. False: more than `most_late` queries cannot end within `slo_ns`
  /// after they have been here, and it stopped.
  template <class Arrivals>
  bool serve(ModuleId module, const ModelConfiguration& of, Arrivals arrivals, TimeNs slo_ns,
             std::size_t most_late);
  /// Of batches of two modules whose ends, or starts, are at one moment: which comes first.
  bool started_before(ModuleId module, Batch batch, ModuleId other_module, Batch other) const;
  /// The place of what happens in `module` among all that the end of a batch of `cause` makes happen.
  std::size_t place_after(ModuleId cause, ModuleId module) const;
  /// Fills latency_ns_ by the present results.
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
  std::vector<TimeNs> least_after_ns_;  ///< by module: what every query there still has before it
  std::vector<std::uint8_t> arrived_;   ///< by query: branches that have come to the join
  std::vector<std::uint8_t> is_late_;   ///< by query: so is one of its visits at a task
  std::vector<TimeNs> latency_ns_;      ///< by query
  std::vector<TimeNs> sorted_ns_;       ///< scratch
};

}  // namespace harness
