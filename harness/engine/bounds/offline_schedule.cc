#include "harness/engine/bounds/offline_schedule.h"

#include <algorithm>
#include <array>
#include <limits>

#include "harness/core/routes.h"

namespace harness {
namespace {

/// The properties in which schedules differ.
struct Style {
  /// Each module takes its smallest batch whose rate reaches this share of the bottleneck's best, so that
  /// batches are short if throughput is to spare. 0: batches of one.
  double rate_share = 1;
  /// True if batches start evenly spaced over the workers; otherwise they start as soon as a worker is free.
  bool paced = true;
};

/// Overload wants full, evenly spaced batches; tight objectives want short ones; few workers want no spacing.
constexpr std::array<Style, 5> kStyles = {{{1, true}, {1, false}, {0.75, true}, {0.5, false}, {0, false}}};

struct BatchChoice {
  int size = 1;
  TimeNs exec_ns = 0;  ///< time of any batch up to that size
  double rate = 0;     ///< rate of all workers together, visits/ns
};

/// Returns the choices by batch size, from 1 on.
std::vector<BatchChoice> batch_choices(const Profile& profile, const PlanRow& row) {
  std::vector<BatchChoice> choices;
  TimeNs longest = 0;
  const int cap = std::min(static_cast<int>(row.max_batch), profile.max_batch());
  for (int size = 1; size <= cap; ++size) {
    longest = std::max(longest, profile.latency(size));
    choices.push_back(
        {size, longest, static_cast<double>(row.workers) * size / static_cast<double>(longest)});
  }
  return choices;
}

double best_rate(const std::vector<BatchChoice>& choices) {
  double best = 0;
  for (const BatchChoice& choice : choices) best = std::max(best, choice.rate);
  return best;
}

/// Chooses one batch size for each module.
std::vector<BatchChoice> choose_batches(const RunSpec& spec, const RunRecord& record, double rate_share) {
  const std::vector<double> visits = visit_probabilities(spec.pipeline);
  std::vector<std::vector<BatchChoice>> choices(spec.profiles.size());
  double bottleneck = std::numeric_limits<double>::infinity();
  for (const PlanRow& row : record.plans) {
    choices[row.module] = batch_choices(spec.profiles[row.module], row);
    bottleneck = std::min(bottleneck, best_rate(choices[row.module]) / visits[row.module]);
  }
  std::vector<BatchChoice> chosen;
  for (std::size_t m = 0; m < choices.size(); ++m) {
    const double wanted = std::min(bottleneck * rate_share * visits[m], best_rate(choices[m]));
    chosen.push_back(*std::find_if(choices[m].begin(), choices[m].end(),
                                   [wanted](const BatchChoice& choice) { return choice.rate >= wanted; }));
  }
  return chosen;
}

/// A module on a request's way.
struct Stop {
  ModuleId module = 0;
  std::vector<ModuleId> pres;  ///< modules that send the request here
  TimeNs after_ns = 0;         ///< least time from its end to the end of the request
};

/// Returns the stops of each route, in topological order.
std::vector<std::vector<Stop>> stops_of(const Pipeline& pipeline, const Routes& routes,
                                        const std::vector<double>& cost) {
  std::vector<std::vector<Stop>> stops(routes.size());
  for (std::size_t i = 0; i < routes.size(); ++i) {
    const std::vector<double> after = longest_after(pipeline, routes[i], cost);
    for (ModuleId m = 0; m < cost.size(); ++m) {
      if (!routes[i].visits(m)) continue;
      Stop& stop = stops[i].emplace_back(Stop{m, {}, static_cast<TimeNs>(after[m])});
      for (const ModuleId pre : pipeline.modules[m].pres) {
        if (routes[i].takes(pre, m)) stop.pres.push_back(pre);
      }
    }
  }
  return stops;
}

/// One schedule, made request by request.
class Schedule {
 public:
  Schedule(const RunSpec& spec, const RunRecord& record, const Routes& routes, const Style& style)
      : hop_ns_(ms_to_ns(spec.world.network_delay_ms)),
        lanes_(spec.profiles.size()),
        places_(spec.profiles.size()) {
    const std::vector<BatchChoice> batches = choose_batches(spec, record, style.rate_share);
    for (const PlanRow& row : record.plans) {
      Lane& lane = lanes_[row.module];
      const BatchChoice& batch = batches[row.module];
      lane.size = lane.joined = batch.size;
      lane.exec_ns = batch.exec_ns;
      lane.spacing_ns = style.paced ? (batch.exec_ns + row.workers - 1) / row.workers : 0;
      lane.free_ns.assign(row.workers, 0);
    }
    std::vector<double> cost;
    for (const BatchChoice& batch : batches) cost.push_back(static_cast<double>(batch.exec_ns + hop_ns_));
    stops_ = stops_of(spec.pipeline, routes, cost);
  }

  /// Reserves for the next request, in order of sending; returns false if it cannot end in time.
  bool offer(std::size_t route, TimeNs sent_ns, TimeNs deadline_ns) {
    for (const Stop& stop : stops_[route]) {
      TimeNs ready = sent_ns;
      for (const ModuleId pre : stop.pres) ready = std::max(ready, places_[pre].end_ns);
      Place& place = places_[stop.module];
      place = find(lanes_[stop.module], ready + hop_ns_);
      if (place.end_ns + stop.after_ns > deadline_ns) return false;
    }
    for (const Stop& stop : stops_[route]) reserve(lanes_[stop.module], places_[stop.module]);
    ++accepted_;
    return true;
  }

  std::uint64_t accepted() const { return accepted_; }

  /// Appends the places at which the request that was accepted last runs.
  void append_visits(RequestId request, std::size_t route, std::vector<ScheduledVisit>& visits) const {
    for (const Stop& stop : stops_[route]) {
      const Place& place = places_[stop.module];
      visits.push_back({request, stop.module, lanes_[stop.module].worker, place.start_ns, place.end_ns});
    }
  }

 private:
  /// The batches of one module. Every batch takes the same time, so that taking the workers in turn takes the
  /// one that is free first. Only the last batch can have room for the next request, because requests get
  /// ready in the order of sending; if their routes differ, a request that is ready early waits for it.
  struct Lane {
    int size = 1;
    int joined = 0;  ///< number of visits in the last batch
    TimeNs exec_ns = 0;
    TimeNs spacing_ns = 0;
    TimeNs start_ns = 0;       ///< start of the last batch
    TimeNs next_start_ns = 0;  ///< least start of the next batch
    std::uint32_t worker = 0;  ///< worker of the last batch
    std::uint32_t next_worker = 0;
    std::vector<TimeNs> free_ns;  ///< time at which each worker is free
  };

  struct Place {
    TimeNs start_ns = 0;
    TimeNs end_ns = 0;
    bool opens = false;  ///< true for the first place of a batch
  };

  static Place find(const Lane& lane, TimeNs ready) {
    const bool joins = ready <= lane.start_ns && lane.joined < lane.size;
    const TimeNs start =
        joins ? lane.start_ns : std::max({ready, lane.next_start_ns, lane.free_ns[lane.next_worker]});
    return {start, start + lane.exec_ns, !joins};
  }

  static void reserve(Lane& lane, const Place& place) {
    if (!place.opens) {
      ++lane.joined;
      return;
    }
    lane.joined = 1;
    lane.start_ns = place.start_ns;
    lane.next_start_ns = place.start_ns + lane.spacing_ns;
    lane.worker = lane.next_worker;
    lane.free_ns[lane.worker] = place.end_ns;
    lane.next_worker = lane.worker + 1 == lane.free_ns.size() ? 0 : lane.worker + 1;
  }

  TimeNs hop_ns_;
  std::vector<std::vector<Stop>> stops_;  ///< stops of each route
  std::vector<Lane> lanes_;
  std::vector<Place> places_;  ///< places of the request at hand, by module
  std::uint64_t accepted_ = 0;
};

bool plan_is_fixed(const RunSpec& spec, const RunRecord& record) {
  return record.plans.size() == spec.profiles.size() &&
         std::all_of(record.plans.begin(), record.plans.end(),
                     [](const PlanRow& row) { return row.at_ns == 0; });
}

/// True if all modules run batches, whose times alone are known beforehand.
bool runs_batches_only(const RunSpec& spec) {
  return std::all_of(spec.profiles.begin(), spec.profiles.end(),
                     [](const Profile& profile) { return profile.service == Service::kBatch; });
}

bool can_serve(const RunRecord& record) {
  return std::all_of(record.plans.begin(), record.plans.end(),
                     [](const PlanRow& row) { return row.workers > 0 && row.max_batch > 0; });
}

/// Calls `each(request, sending time, route)` for the requests of the measured part, in order.
template <class Each>
void for_arrivals(const RunSpec& spec, const Routes& routes, Each each) {
  const std::unique_ptr<ArrivalSource> arrivals = spec.arrivals->restarted();
  std::vector<TimeNs> sent(4096);
  RequestId request = 0;
  while (const std::size_t count = arrivals->next(sent)) {
    for (std::size_t i = 0; i < count; ++i, ++request) {
      if (sent[i] >= spec.measured_from_ns) each(request, sent[i], routes.dynamic() ? routes.of(request) : 0);
    }
  }
}

void list_visits(const RunSpec& spec, const RunRecord& record, const Routes& routes, const Style& style,
                 std::vector<ScheduledVisit>& visits) {
  Schedule schedule(spec, record, routes, style);
  for_arrivals(spec, routes, [&](RequestId request, TimeNs sent_ns, std::size_t route) {
    if (schedule.offer(route, sent_ns, sent_ns + spec.slo_ns)) schedule.append_visits(request, route, visits);
  });
}

}  // namespace

std::string why_no_offline_schedule(const RunSpec& spec, const RunRecord& record) {
  if (spec.pipeline.has_tasks()) return "the pipeline is a task tree";
  if (!spec.streams.empty()) return "requests come in streams";
  if (!spec.faults.empty()) return "the experiment has faults";
  if (spec.world.jitter != Jitter::kOff) return "execution times have jitter";
  if (!runs_batches_only(spec)) return "a module does not run batches";
  if (record.shares_workers) return "workers serve several modules";
  if (!plan_is_fixed(spec, record)) return "the plan changed during the run";
  return "";
}

std::optional<std::uint64_t> offline_schedule(const RunSpec& spec, const RunRecord& record,
                                              std::vector<ScheduledVisit>* visits) {
  if (!why_no_offline_schedule(spec, record).empty()) return std::nullopt;
  if (!can_serve(record)) return 0;
  const Routes routes(spec.pipeline, spec.seed);
  std::vector<Schedule> schedules;
  for (const Style& style : kStyles) schedules.emplace_back(spec, record, routes, style);
  for_arrivals(spec, routes, [&](RequestId, TimeNs sent_ns, std::size_t route) {
    for (Schedule& schedule : schedules) schedule.offer(route, sent_ns, sent_ns + spec.slo_ns);
  });
  const auto best =
      std::max_element(schedules.begin(), schedules.end(),
                       [](const Schedule& a, const Schedule& b) { return a.accepted() < b.accepted(); });
  if (visits != nullptr) {
    const Style& style = kStyles[static_cast<std::size_t>(best - schedules.begin())];
    list_visits(spec, record, routes, style, *visits);
  }
  return best->accepted();
}

}  // namespace harness
