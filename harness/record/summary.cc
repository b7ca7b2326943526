#include "harness/record/summary.h"

#include <sstream>

namespace harness {
namespace {

using Column = std::function<void(const char* name, const char* doc, SummaryRow::ColumnPointer)>;

/// The columns that only live runs fill.
void list_live(SummaryRow& row, const Column& column) {
  column("lateness_us_p50", "live: median lateness of sending", &row.lateness_us_p50);
  column("lateness_us_p99", "live: 99th percentile", &row.lateness_us_p99);
  column("lateness_us_max", "live: the largest", &row.lateness_us_max);
  column("messages", "live: messages sent by all ranks", &row.messages);
  column("message_bytes", "live: bytes of those messages", &row.message_bytes);
  column("clock_bound_us", "live: largest error between the clocks of the ranks", &row.clock_bound_us);
}

}  // namespace

std::string hex16(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4) text[i] = "0123456789abcdef"[value & 15];
  return text;
}

std::vector<std::pair<std::string, std::string>> parameters_of(const CellIdentity& cell) {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::istringstream words(cell.parameters);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      if (!pairs.empty()) pairs.back().second += " " + word;
      continue;
    }
    const std::string key = word.substr(0, equals);
    std::erase_if(pairs, [&](const auto& earlier) { return earlier.first == key; });
    pairs.emplace_back(key, word.substr(equals + 1));
  }
  return pairs;
}

void SummaryRow::list(const std::function<void(const char* name, const char* doc, ColumnPointer)>& column) {
  column("cell", "place in the experiment, from 0; its rows are /cells/<cell>", &cell.index);
  column("system", "serving system", &cell.system);
  column("variant", "name of its parameter setting", &cell.variant);
  column("pipeline", "pipeline", &cell.pipeline);
  column("trace", "trace or shape of the load", &cell.trace);
  column("load", "expected mean rate / capacity of the reference plan (the shared settings' own)",
         &cell.load);
  column("seed", "seed of all random numbers", &cell.seed);
  column("runtime", "simulated, emulated or gpu", &cell.runtime);
  column("answers", "trees of tasks: whole or partial", &cell.answers);
  column("parameters", "swept and overridden parameters", &cell.parameters);
  column("status", "ok, skipped or invalid", &status);
  column("why", "why it was skipped or is invalid; of one that is ok, what to know of how it ran", &why);
  column("slo_ms", "end-to-end latency objective", &slo_ms);
  column("workers", "workers ready at the start", &workers);
  column("workers_mean", "mean number of workers that can serve, over the load", &workers_mean);
  column("workers_min_10s", "least of that mean over 10 s", &workers_min_10s);
  column("duration_s", "length of the load", &duration_s);
  column("capacity_rps", "capacity of the initial plan", &capacity_rps);
  column("offered_rps", "sent / duration_s", &offered_rps);
  column("sent", "requests sent", &sent);
  column("in_time", "completed within the SLO", &in_time);
  column("late", "completed after the SLO", &late);
  column("dropped", "dropped", &dropped);
  column("unfinished", "neither completed nor dropped at the end", &unfinished);
  column("goodput_rps", "in_time / duration_s", &goodput_rps);
  column("goodput_overload_rps", "goodput over the overloaded seconds", &goodput_overload_rps);
  column("overload_s", "seconds in which more was sent than the capacity then", &overload_s);
  column("drop_rate", "(dropped + late) / sent", &drop_rate);
  column("drop_rate_overload", "drop rate of what was sent in the overloaded seconds", &drop_rate_overload);
  column("drop_share_last", "of the dropped and late requests, those lost at a last module",
         &drop_share_last);
  column("drop_share_latter_half", "the share lost at modules of more than half of the pipeline's depth",
         &drop_share_latter_half);
  column("drop_share_first_two", "the share lost at modules of depth 1 and 2", &drop_share_first_two);
  column("invalid_rate", "GPU time of requests not completed in time / all GPU time", &invalid_rate);
  column("accuracy", "mean accuracy of completed requests, where models have accuracies", &accuracy);
  column("path_violation_rate", "trees of tasks: paths that were late or lost / all paths",
         &path_violation_rate);
  column("path_accuracy", "trees of tasks: mean accuracy of the served paths", &path_accuracy);
  column("latency_ms_p50", "median latency of completed requests", &latency_ms_p50);
  column("latency_ms_p90", "90th percentile", &latency_ms_p90);
  column("latency_ms_p99", "99th percentile", &latency_ms_p99);
  column("min_goodput_share_1s", "least in_time / sent over 1 s", &min_goodput_share_1s);
  column("min_goodput_share_10s", "least in_time / sent over 10 s", &min_goodput_share_10s);
  column("min_goodput_share_60s", "least in_time / sent over 60 s", &min_goodput_share_60s);
  column("queueing_ms_mean", "mean queueing delay of a module's visits, summed over the modules",
         &queueing_ms_mean);
  column("batch_wait_ms_mean", "mean batch wait of a module's visits, summed over the modules",
         &batch_wait_ms_mean);
  column("gpu_utilisation", "busy time of the workers / time they could serve", &gpu_utilisation);
  column("optimal_goodput_rps", "mean over the seconds of the least of sent and capacity then",
         &optimal_goodput_rps);
  column("fluid_bound_rps", "fluid bound / duration_s", &fluid_bound_rps);
  column("bound_share", "in_time / fluid bound", &bound_share);
  column("reservation_rps", "requests in time of an offline schedule / duration_s", &reservation_rps);
  column("bound_gap", "1 - the larger of that schedule and in_time / fluid bound", &bound_gap);
  column("state_kbps_per_worker", "reports and published states, 1000 bit/s per worker",
         &state_kbps_per_worker);
  column("order_changes", "changes of the published queue order, all modules", &order_changes);
  column("scheduler_busy", "busy time of the busiest queue's scheduler / duration_s, by scheduler_cost",
         &scheduler_busy);
  list_live(*this, column);
  column("sim_requests_per_s", "in virtual time: sent / wall_s", &sim_requests_per_s);
  column("wall_s", "wall time of the run", &wall_s);
  column("devices", "gpu: what the batches ran on", &devices);
  column("fingerprint", "of all decisions", &fingerprint);
  column("input_hash", "of everything the results depend on", &cell.input_hash);
}

}  // namespace harness
