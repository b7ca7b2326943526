#include "harness/record/run/metrics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "harness/record/run/added_workers.h"
#include "harness/record/run/arrival_variation.h"
#include "harness/record/run/drop_places.h"
#include "harness/record/run/latency_histogram.h"
#include "harness/record/run/module_metrics.h"
#include "harness/record/run/module_totals.h"
#include "harness/record/run/no_value.h"
#include "harness/record/run/overload_counts.h"
#include "harness/record/run/path_totals.h"
#include "harness/record/run/queue_trend.h"
#include "harness/record/run/rank_interval.h"
#include "harness/record/run/rank_totals.h"
#include "harness/record/run/request_metrics.h"
#include "harness/record/run/run_record.h"
#include "harness/record/run/worker_metrics.h"

namespace harness {
namespace {

/// Returns part / whole, or kNoValue if the whole is 0.
double share(double part, double whole) { return whole > 0 ? part / whole : kNoValue; }

double share(std::uint64_t part, std::uint64_t whole) {
  return share(static_cast<double>(part), static_cast<double>(whole));
}

/// Returns the sum over the modules of the mean delay of the visits that started there; a module at which no
/// visit started adds nothing. `sum` is the field with a module's sum of delays.
double mean_delay_ms(const RunRecord& record, TimeNs ModuleTotals::*sum) {
  double total_ns = 0;
  bool any = false;
  for (const ModuleTotals& module : record.modules) {
    const auto started = static_cast<double>(module.queueing_delay.total());
    if (started == 0) continue;
    any = true;
    total_ns += static_cast<double>(module.*sum) / started;
  }
  return any ? total_ns * 1e-6 : kNoValue;
}

/// Returns the standard deviation of a histogram's values; each value counts as the middle of its bucket.
double deviation_ms(const LatencyHistogram& histogram) {
  const std::vector<std::uint64_t>& counts = histogram.counts();
  const auto middle_ms = [](std::size_t bucket) {
    const TimeNs below = bucket == 0 ? 0 : LatencyHistogram::upper_edge(bucket - 1);
    return 0.5 * (ns_to_ms(below) + ns_to_ms(LatencyHistogram::upper_edge(bucket)));
  };
  const auto total = static_cast<double>(histogram.total());
  double mean = 0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    mean += static_cast<double>(counts[i]) * middle_ms(i) / total;
  double variance = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double distance = middle_ms(i) - mean;
    variance += static_cast<double>(counts[i]) * distance * distance / total;
  }
  return std::sqrt(variance);
}

double mean_deviation_ms(const RunRecord& record, LatencyHistogram ModuleTotals::*histogram) {
  double sum_ms = 0;
  int modules = 0;
  for (const ModuleTotals& module : record.modules) {
    if ((module.*histogram).total() == 0) continue;
    sum_ms += deviation_ms(module.*histogram);
    ++modules;
  }
  return modules > 0 ? sum_ms / modules : kNoValue;
}

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kPerMille = 1000;

/// Returns the latency of that rank, from 1, among all requests sent; the requests that were not completed
/// come last, with an infinite latency. Returns kNoValue if the record has no latencies.
double latency_ms_of_rank(const RunRecord& record, std::uint64_t rank) {
  if (rank > record.in_time + record.late) return kInfinite;
  return record.latency.counts().empty() ? kNoValue : ns_to_ms(record.latency.of_rank(rank));
}

/// Returns a quantile of the latencies of `n` requests, which are the completed ones or all that were sent;
/// the next two functions return the ends of its confidence interval.
double latency_ms(const RunRecord& record, std::uint64_t n, double quantile) {
  if (n == 0) return kNoValue;
  return latency_ms_of_rank(record, rank_of_quantile(n, quantile));
}
double latency_ms_low(const RunRecord& record, std::uint64_t n, double quantile) {
  const std::uint64_t rank = quantile_ranks_95(n, quantile).low;
  return rank == 0 ? kNoValue : latency_ms_of_rank(record, rank);
}
double latency_ms_high(const RunRecord& record, std::uint64_t n, double quantile) {
  if (n == 0) return kNoValue;
  const std::uint64_t rank = quantile_ranks_95(n, quantile).high;
  return rank > n ? kInfinite : latency_ms_of_rank(record, rank);
}

/// Returns the time in us for a live run (only these have ranks), else kNoValue.
double microseconds_if_live(const RunRecord& record, TimeNs ns) {
  return record.ranks.empty() ? kNoValue : static_cast<double>(ns) / static_cast<double>(kNsPerUs);
}
double schedule_lag_us(const RunRecord& record, double quantile) {
  return microseconds_if_live(record, record.schedule_lag.quantile(quantile));
}
double sum_if_live(const RunRecord& record, std::uint64_t RankTotals::*count) {
  double sum = record.ranks.empty() ? kNoValue : 0;
  for (const RankTotals& rank : record.ranks) sum += static_cast<double>(rank.*count);
  return sum;
}

using enum Better;
constexpr OfNothing kUsual = OfNothing::kUsual;
constexpr OfNothing kAbsent = OfNothing::kAbsent;
using Run = const MeasuredRun&;

double measured_s(const RunRecord& record) { return ns_to_s(record.measured_ns()); }

double cost_per_h(const RunRecord& record, TimeNs from_ns, TimeNs to_ns) {
  constexpr double kSecondsPerHour = 3600;
  return cost_usd(record, from_ns, to_ns) / ns_to_s(to_ns - from_ns) * kSecondsPerHour;
}

/// Returns nothing if the capacity is not known. If there is a reference plan, its capacity decides, so that
/// the overloaded seconds are the same for all systems.
std::optional<OverloadCounts> overload(Run run) {
  if (!run.capacity_at) return std::nullopt;
  if (run.reference_rps <= 0) return overload_counts(run.record, run.capacity_at);
  return overload_counts(run.record, [&run](TimeNs) { return run.reference_rps; });
}

double goodput_steady_rps(Run run) {
  const auto counts = overload(run);
  const double seconds = counts ? measured_s(run.record) - counts->seconds : 0;
  return seconds > 0 ? static_cast<double>(run.record.in_time - counts->in_time) / seconds : kNoValue;
}

/// Returns a metric that is a share, and has no value if no request was sent.
constexpr Metric share_metric(const char* name, Better better, double (*value)(Run)) {
  return {name, "", better, value, kAbsent, kUsual, true};
}

using LatencyOf = double (*)(const RunRecord&, std::uint64_t, double);
/// Returns the metric for a quantile of the completed requests' latencies, or for an end of its interval;
/// kQuantile is in thousandths.
template <int kQuantile, LatencyOf kOf>
constexpr Metric of_completed(const char* name) {
  const auto value = [](Run run) {
    return kOf(run.record, run.record.in_time + run.record.late, kQuantile / kPerMille);
  };
  return {name, "ms", kLower, value, kAbsent, kAbsent};
}
/// Returns the same for all requests sent; a request that was not completed has an infinite latency.
template <int kQuantile, LatencyOf kOf>
constexpr Metric of_sent(const char* name) {
  const auto value = [](Run run) { return kOf(run.record, run.record.sent, kQuantile / kPerMille); };
  return {name, "ms", kLower, value, kAbsent, kOf == latency_ms_low ? kUsual : OfNothing::kUnbounded};
}

constexpr Metric kMetrics[] = {
    // Mean number over the load of workers that can serve (Loki, section 6.1).
    {"workers_mean", "workers", kNeither, [](Run run) { return workers_mean(run.record); }},
    // Minimum of that mean over 10 s.
    {"workers_min_10s", "workers", kNeither, [](Run run) { return workers_min_10s(run.record); }},
    // Cost of the workers during the load; and the same per hour.
    {"cost_usd", "USD", kLower, [](Run run) { return cost_usd(run.record); }},
    {"cost_usd_per_h", "USD/h", kLower,
     [](Run run) {
       return cost_per_h(run.record, run.record.measured_from_ns, run.record.duration_ns);
     }},
    // Time of the workers' GPUs during the load.
    {"gpu_hours", "h", kLower, [](Run run) { return gpu_hours(run.record); }},
    // Cost per hour in the first second of the load; and its mean over the last 10 s.
    {"cost_usd_per_h_start", "USD/h", kLower,
     [](Run run) {
       const TimeNs from_ns = run.record.measured_from_ns;
       return cost_per_h(run.record, from_ns, from_ns + kNsPerS);
     }},
    {"cost_usd_per_h_end", "USD/h", kLower,
     [](Run run) {
       const TimeNs end_ns = run.record.duration_ns;
       return cost_per_h(run.record, std::max(run.record.measured_from_ns, end_ns - 10 * kNsPerS), end_ns);
     }},
    // The whole cost per million requests that ended in time.
    {"usd_per_million_in_time", "USD", kLower,
     [](Run run) {
       constexpr double kMillion = 1e6;
       if (run.record.in_time == 0) return kNoValue;
       return cost_usd(run.record) / static_cast<double>(run.record.in_time) * kMillion;
     }, kAbsent, kAbsent},
    {"first_added_s", "s", kNeither, [](Run run) { return first_added_s(run.record); }},
    // Number of workers added after the start, number of them that started from kept parameters, and the mean
    // times of their starts.
    {"workers_added", "workers", kNeither,
     [](Run run) { return static_cast<double>(added_workers(run.record).count); }},
    {"workers_added_from_memory", "workers", kNeither,
     [](Run run) { return static_cast<double>(added_workers(run.record).from_memory); }},
    {"start_up_ms_from_memory", "ms", kLower,
     [](Run run) { return added_workers(run.record).ms_from_memory; }},
    {"start_up_ms_from_disk", "ms", kLower, [](Run run) { return added_workers(run.record).ms_from_disk; }},
    // Capacity of the initial plan.
    {"capacity_rps", "requests/s", kNeither, [](Run run) { return run.capacity_rps; }},
    {"offered_rps", "requests/s", kNeither,
     [](Run run) { return share(static_cast<double>(run.record.sent), measured_s(run.record)); }},
    // Peak over mean of the replayed window of a recorded trace: as in the log, and of the rate of sending.
    {"recorded_peak_over_mean", "", kNeither, [](Run run) { return run.recorded_peak_over_mean; }},
    {"sent_peak_over_mean", "", kNeither, [](Run run) { return run.sent_peak_over_mean; }},
    {"slo_factor", "", kNeither, [](Run run) { return run.slo_factor; }},
    {"goodput_rps", "requests/s", kHigher,
     [](Run run) { return share(static_cast<double>(run.record.in_time), measured_s(run.record)); }},
    share_metric("slo_attainment", kHigher,
     [](Run run) { return share(run.record.in_time, run.record.sent); }),
    // Goodput over the overloaded seconds, in which more was sent than the capacity.
    {"goodput_overload_rps", "requests/s", kHigher,
     [](Run run) {
       const auto counts = overload(run);
       return counts ? share(static_cast<double>(counts->in_time), counts->seconds) : kNoValue;
     }, kAbsent},
    // Goodput over the other seconds.
    {"goodput_steady_rps", "requests/s", kHigher, goodput_steady_rps},
    {"overload_s", "s", kNeither,
     [](Run run) {
       const auto counts = overload(run);
       return counts ? counts->seconds : kNoValue;
     }},
    share_metric("drop_rate", kLower,
     [](Run run) { return share(run.record.dropped + run.record.late, run.record.sent); }),
    // Drop rate of the last 10 s; and the end of the last ten seconds in which it was above 1 %.
    share_metric("drop_rate_last_10s", kLower, [](Run run) { return missed_in_the_end(run.record, 10); }),
    {"missed_until_s", "s", kLower, [](Run run) { return missed_until_s(run.record); }, kAbsent},
    share_metric("drop_rate_overload", kLower,
     [](Run run) {
       const auto counts = overload(run);
       return counts ? share(counts->dropped + counts->late, counts->sent) : kNoValue;
     }),
    // Share of the dropped and late requests that was lost at a last module ...
    share_metric("drop_share_last", kNeither,
     [](Run run) {
       const DropPlaces places = drop_places(run.record);
       return share(places.last, places.all);
     }),
    // ... at modules of more than half of the pipeline's depth ...
    share_metric("drop_share_latter_half", kNeither,
     [](Run run) {
       const DropPlaces places = drop_places(run.record);
       return share(places.latter_half, places.all);
     }),
    // ... and at modules of depth 1 and 2.
    share_metric("drop_share_first_two", kNeither,
     [](Run run) {
       const DropPlaces places = drop_places(run.record);
       return share(places.first_two, places.all);
     }),
    // GPU time of requests not completed in time / all GPU time.
    share_metric("invalid_rate", kLower,
     [](Run run) {
       return share(static_cast<double>(run.record.gpu_invalid_ns), static_cast<double>(run.record.gpu_ns));
     }),
    {"accuracy", "", kHigher, [](Run run) { return mean_accuracy(run.record); }, kAbsent, kAbsent, true},
    // For task trees: paths that were late or lost / all paths.
    share_metric("path_violation_rate", kLower,
     [](Run run) {
       const PathTotals paths = path_totals(run.record);
       return share(paths.late + paths.lost, paths.in_time + paths.late + paths.lost);
     }),
    // Share of the visits to all modules that was dropped there.
    share_metric("visit_drop_rate", kLower, [](Run run) { return visit_drop_rate(run.record); }),
    // Share of the same visits that did not go to the worker drawn for them.
    share_metric("reroute_rate", kNeither, [](Run run) { return reroute_rate(run.record); }),
    // Mean accuracy of the served paths.
    share_metric("path_accuracy", kHigher,
     [](Run run) {
       const PathTotals paths = path_totals(run.record);
       const std::uint64_t served = paths.in_time + paths.late;
       return share(paths.accuracy_sum, static_cast<double>(served));
     }),
    // Mean over the completed requests.
    {"latency_ms_mean", "ms", kLower,
     [](Run run) {
       const TimeNs sum_ns = run.record.latency_sum_ns;  // 0: read from an older file
       const auto completed = static_cast<double>(run.record.in_time + run.record.late);
       return completed > 0 && sum_ns > 0 ? ns_to_ms(sum_ns) / completed : kNoValue;
     }, kAbsent, kAbsent},
    // Each quantile with the ends of its 95 % confidence interval.
    of_completed<500, latency_ms>("latency_ms_p50"),
    of_completed<500, latency_ms_low>("latency_ms_p50_low"),
    of_completed<500, latency_ms_high>("latency_ms_p50_high"),
    of_completed<750, latency_ms>("latency_ms_p75"),
    of_completed<750, latency_ms_low>("latency_ms_p75_low"),
    of_completed<750, latency_ms_high>("latency_ms_p75_high"),
    of_completed<900, latency_ms>("latency_ms_p90"),
    of_completed<900, latency_ms_low>("latency_ms_p90_low"),
    of_completed<900, latency_ms_high>("latency_ms_p90_high"),
    of_completed<950, latency_ms>("latency_ms_p95"),
    of_completed<950, latency_ms_low>("latency_ms_p95_low"),
    of_completed<950, latency_ms_high>("latency_ms_p95_high"),
    of_completed<990, latency_ms>("latency_ms_p99"),
    of_completed<990, latency_ms_low>("latency_ms_p99_low"),
    of_completed<990, latency_ms_high>("latency_ms_p99_high"),
    of_completed<999, latency_ms>("latency_ms_p999"),
    of_completed<999, latency_ms_low>("latency_ms_p999_low"),
    of_completed<999, latency_ms_high>("latency_ms_p999_high"),
    // The same over all requests sent: one that was not completed has an infinite latency.
    of_sent<500, latency_ms>("latency_all_ms_p50"),
    of_sent<500, latency_ms_low>("latency_all_ms_p50_low"),
    of_sent<500, latency_ms_high>("latency_all_ms_p50_high"),
    of_sent<950, latency_ms>("latency_all_ms_p95"),
    of_sent<950, latency_ms_low>("latency_all_ms_p95_low"),
    of_sent<950, latency_ms_high>("latency_all_ms_p95_high"),
    of_sent<990, latency_ms>("latency_all_ms_p99"),
    of_sent<990, latency_ms_low>("latency_all_ms_p99_low"),
    of_sent<990, latency_ms_high>("latency_all_ms_p99_high"),
    of_sent<999, latency_ms>("latency_all_ms_p999"),
    of_sent<999, latency_ms_low>("latency_all_ms_p999_low"),
    of_sent<999, latency_ms_high>("latency_all_ms_p999_high"),
    share_metric("min_goodput_share_1s", kHigher,
     [](Run run) { return min_goodput_share(run.record.measured_windows(), 1); }),
    share_metric("min_goodput_share_10s", kHigher,
     [](Run run) { return min_goodput_share(run.record.measured_windows(), 10); }),
    share_metric("min_goodput_share_60s", kHigher,
     [](Run run) { return min_goodput_share(run.record.measured_windows(), 60); }),
    {"queueing_ms_mean", "ms", kLower,
     [](Run run) { return mean_delay_ms(run.record, &ModuleTotals::queueing_ns); }, kAbsent},
    {"batch_wait_ms_mean", "ms", kLower,
     [](Run run) { return mean_delay_ms(run.record, &ModuleTotals::wait_ns); }, kAbsent},
    // Standard deviations over the visits that started, as means over the modules at which any did.
    {"queueing_ms_sd", "ms", kLower,
     [](Run run) { return mean_deviation_ms(run.record, &ModuleTotals::queueing_delay); }, kAbsent},
    {"batch_wait_ms_sd", "ms", kLower,
     [](Run run) { return mean_deviation_ms(run.record, &ModuleTotals::batch_wait); }, kAbsent},
    // Mean over the run and over the modules of the number of visits that wait at a module.
    {"queue_mean", "visits", kLower, [](Run run) { return queue_mean(run.record); }},
    // Change of the number of waiting visits over time, by batch means, with the ends of its interval.
    {"queue_growth", "visits/s", kLower, [](Run run) { return queue_trend(run.record).growth; }, kAbsent},
    {"queue_growth_low", "visits/s", kLower, [](Run run) { return queue_trend(run.record).low; }, kAbsent},
    {"queue_growth_high", "visits/s", kLower, [](Run run) { return queue_trend(run.record).high; }, kAbsent},
    {"queue_longest_over_shortest", "", kNeither,
     [](Run run) { return longest_over_shortest_queue(run.record); }, kAbsent},
    share_metric("queue_earlier_share", kNeither, [](Run run) { return earlier_queue_share(run.record); }),
    // Coefficient of variation of the gaps between a module's visits: of the first module, of the last, and
    // compared over all modules.
    {"arrival_cv_first", "", kNeither, [](Run run) { return arrival_variation(run.record).first; }, kAbsent},
    {"arrival_cv_last", "", kNeither, [](Run run) { return arrival_variation(run.record).last; }, kAbsent},
    {"arrival_cv_max_over_min", "", kNeither,
     [](Run run) { return arrival_variation(run.record).max_over_min; }, kAbsent},
    share_metric("arrival_cv_rising_share", kNeither,
     [](Run run) { return arrival_variation(run.record).rising_share; }),
    {"utilisation_spread", "", kNeither,
     [](Run run) { return utilisation_spread(run.record); }, kUsual, kUsual, true},
    // The largest of the modules' values.
    share_metric("lockstep", kNeither, [](Run run) { return lockstep(run.record); }),
    {"gpu_utilisation", "", kNeither,
     [](Run run) { return gpu_utilisation(run.record); }, kUsual, kUsual, true},
    // Goodput of a system without any loss (PARD, section 5.4).
    {"capacity_goodput_rps", "requests/s", kNeither,
     [](Run run) {
       if (!run.capacity_at) return kNoValue;
       return share(optimal_requests(run.record, run.capacity_at), measured_s(run.record));
     }, kAbsent},
    {"fluid_bound_rps", "requests/s", kNeither,
     [](Run run) { return share(run.fluid_requests, measured_s(run.record)); }, kAbsent},
    share_metric("bound_share", kHigher,
     [](Run run) { return share(static_cast<double>(run.record.in_time), run.fluid_requests); }),
    // Requests in time of an offline schedule / length of the measured part.
    {"offline_schedule_rps", "requests/s", kNeither,
     [](Run run) {
       if (!run.scheduled_requests || run.record.measured_ns() <= 0) return kNoValue;
       return *run.scheduled_requests / measured_s(run.record);
     }, kAbsent},
    // 1 - the larger of that schedule and in_time / fluid bound.
    share_metric("optimality_gap", kLower,
     [](Run run) {
       if (!run.scheduled_requests || run.fluid_requests <= 0) return kNoValue;
       const double feasible = std::max(*run.scheduled_requests, static_cast<double>(run.record.in_time));
       return 1.0 - feasible / run.fluid_requests;
     }),
    // Bits of reports and published states per worker and second.
    {"state_kbps_per_worker", "1000 bit/s", kLower,
     [](Run run) {
       return share(static_cast<double>(run.record.exchanged_bytes) * 8e-3,
                    ns_to_s(worker_time_ns(run.record)));
     }},
    // Number of changes of the published value "order", over all modules.
    {"order_changes", "", kNeither,
     [](Run run) {
       return run.record.order_changes < 0 ? kNoValue : static_cast<double>(run.record.order_changes);
     }},
    // Share of the load's time for which the busiest queue's scheduler worked.
    {"scheduler_utilisation", "", kLower,
     [](Run run) {
       if (run.record.scheduler_busy_ns < 0) return kNoValue;
       return share(static_cast<double>(run.record.scheduler_busy_ns),
                    static_cast<double>(run.record.measured_ns()));
     }, kUsual, kUsual, true},
    {"schedule_lag_us_p50", "us", kLower, [](Run run) { return schedule_lag_us(run.record, 0.5); }, kAbsent},
    {"schedule_lag_us_p99", "us", kLower, [](Run run) { return schedule_lag_us(run.record, 0.99); }, kAbsent},
    {"schedule_lag_us_max", "us", kLower, [](Run run) { return schedule_lag_us(run.record, 1); }, kAbsent},
    // Number of messages sent by all ranks, and their bytes.
    {"messages", "messages", kLower,
     [](Run run) { return sum_if_live(run.record, &RankTotals::messages_sent); }},
    {"message_bytes", "bytes", kLower,
     [](Run run) { return sum_if_live(run.record, &RankTotals::bytes_sent); }},
    {"clock_bound_us", "us", kLower,
     [](Run run) { return microseconds_if_live(run.record, run.record.clock_bound_ns); }},
    // Simulator's speed: for runs in virtual time in which all requests are counted.
    {"sim_requests_per_s", "requests/s", kHigher,
     [](Run run) {
       const bool is_known = run.record.ranks.empty() && run.record.measured_from_ns == 0;
       return is_known ? share(static_cast<double>(run.record.sent), run.record.wall_s) : kNoValue;
     }, kAbsent},
    {"wall_s", "s", kLower, [](Run run) { return run.record.wall_s; }},
};

}  // namespace

std::span<const Metric> metrics() { return kMetrics; }

const Metric* find_metric(std::string_view name) {
  const auto found = std::find_if(metrics().begin(), metrics().end(),
                                  [&](const Metric& metric) { return metric.name == name; });
  return found == metrics().end() ? nullptr : &*found;
}

const char* name_of(Better better) {
  constexpr const char* kNames[] = {"higher", "lower", "neither"};
  return kNames[static_cast<std::size_t>(better)];
}

const char* name_of(OfNothing rule) {
  constexpr const char* kNames[] = {"value", "none", "inf"};
  return kNames[static_cast<std::size_t>(rule)];
}

}  // namespace harness
