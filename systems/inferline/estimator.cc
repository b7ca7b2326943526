#include "systems/inferline/estimator.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "harness/core/check.h"

namespace harness {
namespace {

/// Returns how many queries may miss the SLO when P99 just meets it.
std::size_t misses_within_p99(std::size_t queries) { return queries / 100; }

}  // namespace

TimeNs least_latency_ns(const Profile& profile, int max_batch) {
  const auto first = profile.latency_ns.begin();
  return *std::min_element(first, first + max_batch);
}

void Estimator::Running::reset(int replicas) {
  const std::size_t room = std::bit_ceil(static_cast<std::size_t>(replicas));
  if (ring_.size() < room) ring_.resize(room);
  mask_ = ring_.size() - 1;
  first_ = last_ = 0;
}

bool Estimator::Result::is_of(const ModelConfiguration& other) const {
  if (id == 0 || other.device != of.device) return false;
  const auto fits = [](std::size_t most, int limit) { return most <= static_cast<std::size_t>(limit); };
  return (other.replicas == of.replicas ||
          (fits(most_busy, of.replicas - 1) && fits(most_busy, other.replicas))) &&
         (other.max_batch == of.max_batch ||
          (fits(most_waiting, of.max_batch) && fits(most_waiting, other.max_batch)));
}

// The following classes go through the arrivals at a module one after the other: their times, their visits,
// and the batches whose ends bring them.

/// The arrivals at the entry.
class Estimator::FromSending {
 public:
  explicit FromSending(const Estimator& estimator) : sent_ns_(estimator.sent_ns_) {}

  static constexpr bool kHasSeveral = false;  // a query has one visit

  bool next() { return ++query_ < sent_ns_.size(); }
  std::uint32_t visit() const { return query_; }
  TimeNs at_ns() const { return sent_ns_[query_]; }
  ModuleId from() const { return 0; }
  std::uint32_t batch() const { return kSent; }

 private:
  const std::vector<TimeNs>& sent_ns_;
  std::uint32_t query_ = std::numeric_limits<std::uint32_t>::max();  // ++ makes it 0
};

/// The arrivals along one edge.
class Estimator::FromOne {
 public:
  FromOne(const Estimator& estimator, ModuleId module, std::size_t edge)
      : from_(estimator.pipeline_.modules[module].pres[edge]) {
    const Result& result = estimator.stages_[from_].result();
    queue_ = result.queue.data();
    batches_ = result.batches.data();
    ended_ = static_cast<std::uint32_t>(result.ended);
    if (ended_ > 0) next_end_ns_ = batches_->end_ns;
    const std::vector<std::uint8_t>& takes = estimator.stages_[module].paths.takes[edge];
    if (!takes.empty()) takes_ = takes.data();
  }

  static constexpr bool kHasSeveral = false;

  bool next() {
    while (!next_of_batch()) {
      if (next_end_ns_ == kNever) return false;
      next_batch();
    }
    return true;
  }
  /// Goes to the next visit that the present batch brings. False if it brings no more, and before the first
  /// next_batch().
  bool next_of_batch() {
    while (place_ < end_) {
      query_ = queue_[place_++];
      if (takes_ == nullptr || takes_[query_] != 0) return true;
    }
    return false;
  }
  void next_batch() {
    const Batch& batch = batches_[taken_++];
    at_ns_ = batch.end_ns;
    place_ = batch.first;
    end_ = batch.first + batch.count;
    next_end_ns_ = taken_ < ended_ ? batches_[taken_].end_ns : kNever;
  }
  /// Returns the batch that next_batch() comes to. It ends at next_end_ns(), which is kNever if there is no
  /// such batch.
  const Batch& following() const { return batches_[taken_]; }
  TimeNs next_end_ns() const { return next_end_ns_; }
  std::uint32_t visit() const { return query_; }
  TimeNs at_ns() const { return at_ns_; }
  ModuleId from() const { return from_; }
  std::uint32_t batch() const { return taken_ - 1; }

 private:
  TimeNs next_end_ns_ = kNever;
  TimeNs at_ns_ = 0;
  const std::uint32_t* queue_;
  const std::uint8_t* takes_ = nullptr;
  const Batch* batches_;
  std::uint32_t ended_;
  std::uint32_t taken_ = 0;
  std::uint32_t place_ = 0;
  std::uint32_t end_ = 0;
  std::uint32_t query_ = 0;
  ModuleId from_;
};

/// The arrivals at a join: each query arrives once, with the last of the branches that it takes.
class Estimator::FromAll {
 public:
  FromAll(Estimator& estimator, ModuleId module)
      : estimator_(estimator), branches_(estimator.stages_[module].paths.branches.data()) {
    for (std::size_t edge = 0; edge < estimator.stages_[module].paths.takes.size(); ++edge)
      edges_.emplace_back(estimator, module, edge);
    estimator.arrived_.assign(estimator.queries(), 0);
    arrived_ = estimator.arrived_.data();
    now_ = edges_.data();
  }
  FromAll(const FromAll&) = delete;

  static constexpr bool kHasSeveral = false;

  bool next() {
    for (;;) {
      while (now_->next_of_batch()) {
        const std::uint32_t query = now_->visit();
        if (++arrived_[query] == branches_[query]) return true;
      }
      find_next_edge();
      if (now_->next_end_ns() == kNever) return false;
      now_->next_batch();
    }
  }
  std::uint32_t visit() const { return now_->visit(); }
  TimeNs at_ns() const { return now_->at_ns(); }
  ModuleId from() const { return now_->from(); }
  std::uint32_t batch() const { return now_->batch(); }

 private:
  /// Makes the edge whose next batch ends first the present one.
  void find_next_edge() {
    FromOne* first = edges_.data();
    for (FromOne& edge : std::span(edges_).subspan(1)) {
      if (edge.next_end_ns() < first->next_end_ns() ||
          (edge.next_end_ns() == first->next_end_ns() && is_before(edge, *first)))
        first = &edge;
    }
    now_ = first;
  }
  bool is_before(const FromOne& edge, const FromOne& other) const {
    return edge.next_end_ns() != kNever &&
           estimator_.started_before(edge.from(), edge.following(), other.from(), other.following());
  }

  const Estimator& estimator_;
  const std::uint8_t* branches_;
  std::uint8_t* arrived_;
  std::vector<FromOne> edges_;
  FromOne* now_;
};

/// The arrivals in a task tree: all visits that each visit at the task before causes, one after the other.
class Estimator::FromCauses {
 public:
  FromCauses(const Estimator& estimator, ModuleId module)
      : from_(estimator.pipeline_.modules[module].pres.front()),
        caused_(estimator.stages_[module].paths.caused.data()) {
    const Result& result = estimator.stages_[from_].result();
    queue_ = result.queue.data();
    batches_ = result.batches.data();
    ended_ = static_cast<std::uint32_t>(result.ended);
  }

  static constexpr bool kHasSeveral = true;

  bool next() {
    while (visit_ == last_) {
      while (place_ == end_) {
        if (taken_ == ended_) return false;
        const Batch& batch = batches_[taken_++];
        at_ns_ = batch.end_ns;
        place_ = batch.first;
        end_ = batch.first + batch.count;
      }
      const std::uint32_t cause = queue_[place_++];
      visit_ = caused_[cause] - 1;  // wraps to the largest before the first
      last_ = caused_[cause + 1] - 1;
    }
    ++visit_;
    return true;
  }
  std::uint32_t visit() const { return visit_; }
  TimeNs at_ns() const { return at_ns_; }
  ModuleId from() const { return from_; }
  std::uint32_t batch() const { return taken_ - 1; }

 private:
  ModuleId from_;
  const std::uint32_t* caused_;
  const std::uint32_t* queue_;
  const Batch* batches_;
  std::uint32_t ended_;
  std::uint32_t taken_ = 0;
  std::uint32_t place_ = 0;
  std::uint32_t end_ = 0;
  std::uint32_t visit_ = 0;
  std::uint32_t last_ = 0;  ///< last visit that the same cause causes
  TimeNs at_ns_ = 0;
};

Estimator::Estimator(const Pipeline& pipeline, const Hardware& hardware, std::vector<TimeNs> sent_ns,
                     std::uint64_t seed, PathDraws draws, RequestId first)
    : pipeline_(pipeline),
      hardware_(hardware),
      sent_ns_(std::move(sent_ns)),
      stages_(pipeline.modules.size()),
      least_after_ns_(pipeline.modules.size(), 0),
      latency_ns_(sent_ns_.size()) {
  HARNESS_CHECK(!pipeline.independent, "the estimator takes a pipeline of one entry");
  std::vector<ModelPaths> paths = sample_paths(pipeline, queries(), seed, draws, first);
  for (ModuleId m = 0; m < stages_.size(); ++m) {
    Stage& stage = stages_[m];
    stage.paths = std::move(paths[m]);
    stage.before = std::uint64_t{1} << m;
    for (const ModuleId pre : pipeline.modules[m].pres) stage.before |= stages_[pre].before;
    visits_ += stage.paths.visits;
    most_visits_ = std::max(most_visits_, stage.paths.visits);
  }
}

std::size_t Estimator::place_after(ModuleId cause, ModuleId module) const {
  // The visits that wait for the replica that ended are taken last.
  const std::vector<ModuleId>& subs = pipeline_.modules[cause].subs;
  return static_cast<std::size_t>(std::find(subs.begin(), subs.end(), module) - subs.begin());
}

bool Estimator::started_before(ModuleId module, Batch batch, ModuleId other_module, Batch other) const {
  for (;;) {
    const TimeNs start_ns = batch.end_ns - stages_[module].latency_ns[batch.count - 1];
    const TimeNs other_ns = other.end_ns - stages_[other_module].latency_ns[other.count - 1];
    if (start_ns != other_ns) return start_ns < other_ns;
    if (module == other_module) return batch.first < other.first;
    // If both started at one moment, they come in the order of what started them. A query that is sent comes
    // after all batches that end.
    if (batch.cause == kSent || other.cause == kSent) return other.cause == kSent;
    if (batch.cause == other.cause && batch.cause_module == other.cause_module)
      return place_after(batch.cause_module, module) < place_after(batch.cause_module, other_module);
    module = batch.cause_module;
    batch = stages_[module].result().batches[batch.cause];
    other_module = other.cause_module;
    other = stages_[other_module].result().batches[other.cause];
  }
}

template <class Arrivals>
bool Estimator::serve(ModuleId module, const ModelConfiguration& of, Arrivals arrivals, TimeNs slo_ns,
                      std::size_t most_late) {
  const Stage& stage = stages_[module];
  Result& result = stages_[module].kept[stage.now];
  result.queue.resize(stage.paths.visits);
  result.batches.resize(stage.paths.visits);
  if (Arrivals::kHasSeveral) is_late_.assign(queries(), 0);
  running_.reset(of.replicas);
  const auto replicas = static_cast<std::size_t>(of.replicas);
  const auto max_batch = static_cast<std::uint32_t>(of.max_batch);
  const TimeNs in_time_ns = slo_ns - least_after_ns_[module];
  const TimeNs* const sent_ns = sent_ns_.data();
  std::uint32_t* const queue = result.queue.data();
  std::uint32_t head = 0;  // the visits [head, tail) wait
  std::uint32_t tail = 0;
  std::size_t late = 0;
  std::size_t most_busy = 0;
  std::uint32_t most_waiting = 0;
  result.ended = 0;
  // A query counts once.
  const auto becomes_late = [&](std::uint32_t visit, TimeNs end_ns) {
    if constexpr (Arrivals::kHasSeveral) {
      const std::uint32_t query = stage.paths.query_of[visit];
      if (end_ns - sent_ns[query] <= in_time_ns) return false;
      return std::exchange(is_late_[query], std::uint8_t{1}) == 0;
    } else {
      return end_ns - sent_ns[visit] > in_time_ns;
    }
  };
  const auto start = [&](TimeNs now, std::uint32_t count, ModuleId cause_module, std::uint32_t cause) {
    const TimeNs end_ns = now + stage.latency_ns[count - 1];
    running_.push({end_ns, head, cause, static_cast<std::uint16_t>(count), cause_module});
    for (const std::uint32_t last = head + count; head < last; ++head)
      late += becomes_late(queue[head], end_ns) ? 1 : 0;
  };
  const auto end_first = [&] {
    const Batch& ended = result.batches[result.ended] = running_.pop();
    const auto index = static_cast<std::uint32_t>(result.ended++);
    if (head == tail) return;
    most_waiting = std::max(most_waiting, tail - head);
    start(ended.end_ns, std::min(tail - head, max_batch), module, index);
  };
  const auto ends_before = [&] {
    const Batch& first = running_.front();
    if (first.end_ns != arrivals.at_ns()) return first.end_ns < arrivals.at_ns();
    if (arrivals.batch() == kSent) return true;
    const Batch& brings = stages_[arrivals.from()].result().batches[arrivals.batch()];
    return started_before(module, first, arrivals.from(), brings);
  };
  while (arrivals.next()) {
    while (running_.size() > 0 && ends_before()) end_first();
    queue[tail++] = arrivals.visit();
    if (running_.size() < replicas) start(arrivals.at_ns(), 1, arrivals.from(), arrivals.batch());
    most_busy = std::max(most_busy, running_.size());
    if (late > most_late) break;
  }
  while (late <= most_late && running_.size() > 0) end_first();
  result.most_busy = most_busy;
  result.most_waiting = std::max(most_waiting, 1u);
  return late <= most_late;
}

bool Estimator::find_result(ModuleId module, const ModelConfiguration& of) {
  Stage& stage = stages_[module];
  const std::vector<ModuleId>& pres = pipeline_.modules[module].pres;
  stage.latency_ns = hardware_.profile(module, of).latency_ns.data();
  const auto is_present = [&](const Result& kept) {
    if (!kept.is_of(of)) return false;
    for (std::size_t edge = 0; edge < pres.size(); ++edge) {
      if (kept.inputs[edge] != stages_[pres[edge]].result().id) return false;
    }
    return true;
  };
  const auto found = std::ranges::find_if(stage.kept, is_present);
  const auto oldest = std::ranges::min_element(stage.kept, {}, &Result::used);
  stage.now = static_cast<std::size_t>((found != stage.kept.end() ? found : oldest) - stage.kept.begin());
  Result& result = stage.kept[stage.now];
  result.used = simulations_;
  if (found != stage.kept.end()) return true;
  result.id = 0;
  result.of = of;
  result.inputs.clear();
  for (const ModuleId pre : pres) result.inputs.push_back(stages_[pre].result().id);
  return false;
}

std::vector<TimeNs> Estimator::least_after(const std::vector<TimeNs>& least_ns) const {
  std::vector<TimeNs> after_ns(stages_.size(), 0);
  for (std::size_t m = stages_.size(); m-- > 0;) {
    const Module& module = pipeline_.modules[m];
    const ModelPaths& paths = stages_[m].paths;
    if (paths.takes_one) after_ns[m] = kNever;
    for (std::size_t sub = 0; sub < module.subs.size(); ++sub) {
      const ModuleId to = module.subs[sub];
      const TimeNs along_ns = least_ns[to] + after_ns[to];
      if (paths.takes_one) {
        after_ns[m] = std::min(after_ns[m], along_ns);
      } else if (paths.is_sure[sub]) {
        after_ns[m] = std::max(after_ns[m], along_ns);
      }
    }
  }
  return after_ns;
}

bool Estimator::simulate(ModuleId module, const ModelConfiguration& of, TimeNs slo_ns,
                         std::size_t most_late) {
  if (find_result(module, of)) return true;
  const std::size_t edges = pipeline_.modules[module].pres.size();
  const bool served = edges == 0 ? serve(module, of, FromSending(*this), slo_ns, most_late)
                      : pipeline_.has_tasks()
                          ? serve(module, of, FromCauses(*this, module), slo_ns, most_late)
                      : edges == 1 ? serve(module, of, FromOne(*this, module, 0), slo_ns, most_late)
                                   : serve(module, of, FromAll(*this, module), slo_ns, most_late);
  if (served) stages_[module].kept[stages_[module].now].id = ++results_;
  return served;
}

bool Estimator::simulate(const Configuration& configuration, TimeNs slo_ns, std::size_t most_late) {
  ++simulations_;
  std::vector<TimeNs> least_ns;
  for (ModuleId m = 0; m < stages_.size(); ++m)
    least_ns.push_back(least_latency_ns(hardware_.profile(m, configuration[m]), configuration[m].max_batch));
  least_after_ns_ = least_after(least_ns);
  for (ModuleId m = 0; m < stages_.size(); ++m) {
    if (!simulate(m, configuration[m], slo_ns, most_late)) return false;
  }
  find_latencies();
  return true;
}

Estimator::Trial Estimator::try_module(const Configuration& configuration, ModuleId module, TimeNs slo_ns,
                                       TimeNs least_after_ns) {
  ++simulations_;
  for (ModuleId m = 0; m < module; ++m) {
    if ((before(module) >> m & 1u) == 0) continue;
    HARNESS_CHECK(simulate(m, configuration[m], kNever, queries()), "what comes before a module goes on");
  }
  least_after_ns_[module] = least_after_ns;
  Trial trial;
  trial.may_meet = simulate(module, configuration[module], slo_ns, misses_within_p99(queries()));
  trial.most_busy = static_cast<int>(stages_[module].result().most_busy);
  trial.most_waiting = static_cast<int>(stages_[module].result().most_waiting);
  return trial;
}

void Estimator::keep(std::size_t results) {
  for (Stage& stage : stages_) {
    stage.kept.resize(results);
    stage.now = 0;
  }
}

void Estimator::find_latencies() {
  std::ranges::fill(latency_ns_, 0);
  const auto add = [this](const Result& result, const auto& query_of) {
    for (std::size_t i = 0; i < result.ended; ++i) {
      const Batch& batch = result.batches[i];
      for (std::uint32_t place = batch.first; place < batch.first + batch.count; ++place) {
        const std::uint32_t query = query_of(result.queue[place]);
        latency_ns_[query] = std::max(latency_ns_[query], batch.end_ns - sent_ns_[query]);
      }
    }
  };
  for (const Stage& stage : stages_) {
    if (!stage.paths.may_end) continue;
    const std::vector<std::uint32_t>& query_of = stage.paths.query_of;
    if (query_of.empty())
      add(stage.result(), [](std::uint32_t visit) { return visit; });
    else
      add(stage.result(), [&](std::uint32_t visit) { return query_of[visit]; });
  }
}

std::span<const TimeNs> Estimator::latencies(const Configuration& configuration) {
  simulate(configuration, kNever, queries());
  return latency_ns_;
}

TimeNs Estimator::p99_ns(const Configuration& configuration) {
  latencies(configuration);
  if (latency_ns_.empty()) return 0;
  sorted_ns_ = latency_ns_;
  const auto at = sorted_ns_.end() - 1 - static_cast<std::ptrdiff_t>(misses_within_p99(sorted_ns_.size()));
  std::nth_element(sorted_ns_.begin(), at, sorted_ns_.end());
  return *at;
}

bool Estimator::meets(const Configuration& configuration, TimeNs slo_ns) {
  const std::size_t most_late = misses_within_p99(queries());
  if (!simulate(configuration, slo_ns, most_late)) return false;
  const auto late = std::ranges::count_if(latency_ns_, [&](TimeNs latency) { return latency > slo_ns; });
  return static_cast<std::size_t>(late) <= most_late;
}

}  // namespace harness
