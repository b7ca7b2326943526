#include "harness/core/renamed.h"

#include <algorithm>

namespace harness {
namespace {

constexpr Renamed kColumns[] = {
    {"domain", "queue"},
    {"lateness_ns", "schedule_lag_ns"},
    {"lateness_us_p50", "schedule_lag_us_p50"},
    {"lateness_us_p99", "schedule_lag_us_p99"},
    {"lateness_us_max", "schedule_lag_us_max"},
    {"reservation_rps", "offline_schedule_rps"},
    {"bound_gap", "optimality_gap"},
    {"optimal_goodput_rps", "capacity_goodput_rps"},
    {"scheduler_busy", "scheduler_utilisation"},
    {"visit_share", "visit_ratio"},
    {"normalised_goodput", "slo_attainment"},
    {"batch_cap", "max_batch"},
    {"dropped_inbox_full", "dropped_scheduler_queue_full"},
};

constexpr Renamed kKeys[] = {
    {"live.lateness_limit_ms", "live.schedule_lag_limit_ms"},
    {"gpu.pace_limit", "gpu.profile_error_limit"},
    {"gpu.pace_wait_s", "gpu.profile_check_wait_s"},
    {"cluster.scheduler_inbox_ms", "cluster.scheduler_queue_limit_ms"},
    {"repeat_until.most_seeds", "repeat_until.max_seeds"},
    {"side_by_side", "independent"},
    {"nexus.load", "nexus.model_loading"},
    {"shepherd.herd_load", "shepherd.herd_model_loading"},
    {"shared.most_tokens", "shared.max_tokens"},
};

constexpr Renamed kValues[] = {
    {"serving.dispatch=least_loaded", "serving.dispatch=least_outstanding"},
    {"nexus.model_loading=ahead", "nexus.model_loading=preloaded"},
    {"shepherd.herd_model_loading=ahead", "shepherd.herd_model_loading=preloaded"},
};

}  // namespace

std::span<const Renamed> renamed_columns() { return kColumns; }
std::span<const Renamed> renamed_keys() { return kKeys; }
std::span<const Renamed> renamed_values() { return kValues; }

std::string name_now(std::span<const Renamed> list, std::string_view name) {
  const auto found =
      std::find_if(list.begin(), list.end(), [name](const Renamed& one) { return one.before == name; });
  return std::string(found == list.end() ? name : found->now);
}

std::string setting_now(std::string_view key, std::string_view value) {
  return name_now(renamed_values(), name_now(renamed_keys(), key) + "=" + std::string(value));
}

std::string name_before(std::span<const Renamed> list, std::string_view name) {
  const auto found =
      std::find_if(list.begin(), list.end(), [name](const Renamed& one) { return one.now == name; });
  return found == list.end() ? "" : std::string(found->before);
}

}  // namespace harness
