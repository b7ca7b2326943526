#include "harness/engine/bounds/fluid_bound.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "harness/core/routes.h"
#include "harness/record/run/worker_metrics.h"

namespace harness {
namespace {

/// Returns the least factor by which execution times may fall below the profile; 0: without limit.
double shortest_factor(const WorldParams& world) {
  switch (world.jitter) {
    case Jitter::kOff:
      return 1.0;
    case Jitter::kUniform:
      return 1.0 - world.jitter_fraction;
    case Jitter::kExponential:
      return 0.0;
  }
  return 0.0;
}

/// The fluid server of one module, fed with visits in order of release.
class FluidServer {
 public:
  FluidServer(Profile profile, double factor, TimeNs before_ns, TimeNs after_ns)
      : profile_(std::move(profile)), factor_(factor), before_ns_(before_ns), after_ns_(after_ns) {}

  /// Adds the workers and the maximum batch size that the row says, from its time on.
  void add_step(const PlanRow& row) {
    const double rate = factor_ > 0 && profile_.service == Service::kBatch
                            ? best_throughput_rps(profile_, static_cast<int>(row.max_batch)) / factor_ * 1e-9
                            : std::numeric_limits<double>::infinity();
    steps_.push_back({static_cast<double>(row.at_ns), row.workers == 0 ? 0.0 : rate * row.workers});
  }

  void offer(TimeNs sent_ns, TimeNs deadline_ns) {
    ++offered_;
    const auto latest = static_cast<double>(deadline_ns - after_ns_);
    const double deadline = latest + 1.0 + latest * kRelativeSlack;
    const double start = std::max(busy_until_, static_cast<double>(sent_ns + before_ns_));
    const double finish = finish_of(start);
    if (finish > deadline) return;
    busy_until_ = finish;
    ++accepted_;
  }

  /// Returns the largest number of the `sent` requests that can end in time. Requests that do not visit the
  /// module all count.
  std::uint64_t bound(std::uint64_t sent) const { return accepted_ + (sent - offered_); }

 private:
  /// Tolerance for rounding. It is more than the rounding of adding up 1 / rate over a busy period as long as
  /// the run: half an ulp, 1.1e-16 of the time, for each visit.
  static constexpr double kRelativeSlack = 1e-9;

  struct Step {
    double at_ns;
    double visits_per_ns;
  };

  /// Returns the end of the work of one visit that starts at `start`.
  double finish_of(double start) {
    while (step_ + 1 < steps_.size() && steps_[step_ + 1].at_ns <= start) ++step_;
    double work = 1.0;
    double at = start;
    for (std::size_t i = step_;; ++i) {
      const double rate = steps_[i].visits_per_ns;
      const double end =
          i + 1 < steps_.size() ? steps_[i + 1].at_ns : std::numeric_limits<double>::infinity();
      if (rate > 0 && at + work / rate <= end) return at + work / rate;
      if (i + 1 == steps_.size()) return end;
      if (rate > 0) work -= (end - at) * rate;
      at = end;
    }
  }

  Profile profile_;
  double factor_;
  TimeNs before_ns_;
  TimeNs after_ns_;
  double busy_until_ = 0;
  std::size_t step_ = 0;
  std::vector<Step> steps_;
  std::uint64_t offered_ = 0;
  std::uint64_t accepted_ = 0;
};

struct Servers {
  std::vector<FluidServer> of_modules;
  std::vector<TimeNs> shortest_ns;  ///< least time from sending to the end, by entry
};

/// Returns the profile with the most cores that any plan gives the module's workers.
Profile with_most_cores(const Profile& profile, const RunRecord& record, ModuleId module) {
  std::uint32_t most = static_cast<std::uint32_t>(profile.cores);
  for (const PlanRow& row : record.plans) {
    if (row.module == module) most = std::max(most, row.cores);
  }
  Profile fastest = profile;
  for (int batch = 1; batch <= profile.max_batch(); ++batch)
    fastest.latency_ns[static_cast<std::size_t>(batch - 1)] =
        latency_with_cores(profile, batch, static_cast<int>(most));
  return fastest;
}

Servers make_servers(const RunSpec& spec, const RunRecord& record, const Routes& routes) {
  const double factor = shortest_factor(spec.world);
  const auto hop_ns = static_cast<double>(ms_to_ns(spec.world.network_delay_ms));
  std::vector<double> exec(spec.profiles.size());
  std::vector<Profile> profiles;
  for (std::size_t m = 0; m < exec.size(); ++m) {
    profiles.push_back(with_most_cores(spec.profiles[m], record, static_cast<ModuleId>(m)));
    const auto least = *std::min_element(profiles[m].latency_ns.begin(), profiles[m].latency_ns.end());
    if (spec.profiles[m].service != Service::kBatch) continue;  // may take next to no time
    // The runtime rounds a jittered time to whole nanoseconds; one less keeps the result a bound.
    exec[m] = std::max(0.0, static_cast<double>(least) * factor - (factor < 1.0 ? 1.0 : 0.0));
  }
  std::vector<double> with_hop = exec;
  for (double& cost : with_hop) cost += hop_ns;
  // All routes have one window: otherwise the deadlines would not be agreeable, and FIFO would be no bound.
  const std::vector<double> before = least_before(spec.pipeline, routes, with_hop);
  const std::vector<double> after = least_after(spec.pipeline, routes, with_hop);
  Servers servers;
  for (std::size_t m = 0; m < exec.size(); ++m) {
    servers.of_modules.emplace_back(profiles[m], factor, static_cast<TimeNs>(before[m] + hop_ns),
                                    static_cast<TimeNs>(after[m]));
    servers.shortest_ns.push_back(static_cast<TimeNs>(hop_ns + exec[m] + after[m]));
  }
  for (const PlanRow& row : record.plans) servers.of_modules[row.module].add_step(row);
  return servers;
}

/// Stands for the entry of a stream of which nothing can end in time.
constexpr ModuleId kHopeless = 0xffff;
/// Returns the entry of each stream, or kHopeless.
std::vector<ModuleId> entries_of_streams(const RunSpec& spec, const std::vector<TimeNs>& shortest_ns) {
  if (spec.streams.empty()) return {0};
  std::vector<ModuleId> entries;
  for (const Stream& stream : spec.streams)
    entries.push_back(stream.slo_ns < shortest_ns[stream.entry] ? kHopeless : stream.entry);
  return entries;
}

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

/// Returns the time for which workers can serve until `until_ns`, added up over the workers.
double worker_ns(const RunRecord& record, TimeNs until_ns) {
  double sum = 0;
  for (const WorkerTotals& worker : record.workers)
    sum += static_cast<double>(able_time_ns(worker, record.measured_from_ns, until_ns));
  return sum;
}

/// Returns for each module the largest maximum batch size of any plan.
std::vector<int> largest_caps(const RunRecord& record, std::size_t modules) {
  std::vector<int> caps(modules, 0);
  for (const PlanRow& row : record.plans)
    caps[row.module] = std::max(caps[row.module], static_cast<int>(row.max_batch));
  return caps;
}

/// Returns the largest number of requests that can be completed by `last_due_ns`, at most `most` by entry.
/// Each request takes the least GPU time of its modules (over b <= cap of d(b) / b with d(b) within the run's
/// SLO), workers work from when they are ready until they are removed, and requests that take least come
/// first. Returns kNoLimit if each worker serves one module, if modules choose branches, with jitter, and
/// with services other than batches: the fluid servers then say all.
std::uint64_t shared_time_bound(const RunSpec& spec, const RunRecord& record,
                                std::span<const std::uint64_t> most, TimeNs last_due_ns) {
  if (!record.shares_workers || spec.world.jitter != Jitter::kOff) return kNoLimit;
  const std::vector<int> caps = largest_caps(record, spec.profiles.size());
  for (std::size_t m = 0; m < spec.profiles.size(); ++m) {
    const bool chooses = spec.pipeline.modules[m].branches != Branches::kAll;
    if (spec.profiles[m].service != Service::kBatch || chooses) return kNoLimit;
  }
  struct Kind {
    double work_ns = 0;
    std::uint64_t most = 0;
  };
  std::vector<Kind> kinds(spec.profiles.size());
  const std::vector<ModuleId> entries = entries_of(spec.pipeline);
  for (std::size_t m = 0; m < spec.profiles.size(); ++m) {
    kinds[entries[m]].work_ns += 1e9 / best_throughput_within_rps(spec.profiles[m], caps[m], spec.slo_ns);
    kinds[m].most = most[m];
  }
  std::sort(kinds.begin(), kinds.end(), [](const Kind& a, const Kind& b) { return a.work_ns < b.work_ns; });
  // The rounding of the sums is far below one request.
  double left_ns = worker_ns(record, last_due_ns) * (1 + 1e-9) + 1;
  std::uint64_t bound = 0;
  for (const Kind& kind : kinds) {
    if (kind.most == 0) continue;
    const double fits = left_ns / kind.work_ns;
    if (fits < static_cast<double>(kind.most)) return bound + static_cast<std::uint64_t>(fits);
    bound += kind.most;
    left_ns -= static_cast<double>(kind.most) * kind.work_ns;
  }
  return bound;
}

}  // namespace

std::uint64_t fluid_bound(const RunSpec& spec, const RunRecord& record) {
  if (spec.pipeline.has_tasks()) return record.sent;
  const Routes routes(spec.pipeline, spec.seed);
  const bool dynamic = routes.dynamic();
  const std::vector<ModuleId> entries = entries_of(spec.pipeline);
  auto [servers, shortest_ns] = make_servers(spec, record, routes);
  const std::vector<ModuleId> entry_of = entries_of_streams(spec, shortest_ns);
  const std::unique_ptr<ArrivalSource> arrivals = spec.arrivals->restarted();
  std::vector<TimeNs> chunk(4096);
  std::vector<StreamId> streams(chunk.size());
  std::vector<const Route*> taken(chunk.size());
  std::vector<std::uint64_t> sent_to(servers.size(), 0);  // by entry, without hopeless streams
  std::uint64_t sent = 0;
  TimeNs last_due_ns = 0;
  while (const std::size_t count = arrivals->next(chunk, streams)) {
    for (std::size_t i = 0; dynamic && i < count; ++i) taken[i] = &routes[routes.of(sent + i)];
    for (std::size_t i = 0; i < count; ++i) {
      const bool counts = chunk[i] >= spec.measured_from_ns;
      if (counts && entry_of[streams[i]] != kHopeless) ++sent_to[entry_of[streams[i]]];
    }
    for (ModuleId m = 0; m < servers.size(); ++m) {
      for (std::size_t i = 0; i < count; ++i) {
        if (chunk[i] < spec.measured_from_ns || entry_of[streams[i]] != entries[m] ||
            (dynamic && !taken[i]->visits(m)))
          continue;
        // The longest SLO counts for all, so that deadlines stay in order of release.
        servers[m].offer(chunk[i], chunk[i] + spec.slo_ns);
      }
    }
    sent += count;
    last_due_ns = chunk[count - 1] + spec.slo_ns;
  }
  // The bound of a pipeline is the least over its modules; independent pipelines add up.
  std::vector<std::uint64_t> least = sent_to;
  for (ModuleId m = 0; m < servers.size(); ++m)
    least[entries[m]] = std::min(least[entries[m]], servers[m].bound(sent_to[entries[m]]));
  const std::uint64_t sum = std::accumulate(least.begin(), least.end(), std::uint64_t{0});
  return std::min({record.sent, sum, shared_time_bound(spec, record, least, last_due_ns)});
}

}  // namespace harness
