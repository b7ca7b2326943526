#include "workloads/catalogue/measured_profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/core/param_list.h"
#include "harness/files/table_reader.h"
#include "workloads/catalogue/profile_set.h"
#include "workloads/catalogue/profile_table.h"

namespace harness {
namespace {

/// Returns milliseconds to the nanosecond, without zeros at the end.
std::string ms_text(TimeNs time_ns) {
  std::array<char, 48> text{};
  const int size =
      std::snprintf(text.data(), text.size(), "%lld.%06lld", static_cast<long long>(time_ns / kNsPerMs),
                    static_cast<long long>(time_ns % kNsPerMs));
  std::string result(text.data(), static_cast<std::size_t>(size));
  result.erase(result.find_last_not_of('0') + 1);
  if (result.back() == '.') result += '0';
  return result;
}

/// Returns six digits, as TOML writes numbers; values that are not finite become 0.
std::string share_text(double value) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.6g", std::isfinite(value) ? value : 0.0);
  return text.data();
}

template <class Size>
std::string array_text(const std::vector<MeasuredProfile::Latency>& sizes, Size of) {
  std::string result = "[";
  for (const MeasuredProfile::Latency& size : sizes) result += (result.size() > 1 ? ", " : "") + of(size);
  return result + "]";
}

void add(std::string& text, const char* key, const std::string& value) {
  text += std::string(key) + " = " + value + "\n";
}

void add_times(std::string& text, const char* key, const MeasuredProfile& profile,
               TimeNs MeasuredProfile::Latency::*time) {
  add(text, key,
      array_text(profile.sizes, [&](const MeasuredProfile::Latency& size) { return ms_text(size.*time); }));
}

bool every_half_width_is_known(const MeasuredProfile& profile) {
  return std::all_of(profile.sizes.begin(), profile.sizes.end(),
                     [](const MeasuredProfile::Latency& size) { return size.half_width_ns.has_value(); });
}

void add_measured(std::string& text, const MeasuredProfile& profile) {
  text += "\n[profile.measured]\n";
  add(text, "repeats", std::to_string(profile.repeats));
  add(text, "stopped_by", toml_text(profile.stopped_by));
  add(text, "drift", share_text(profile.drift));
  if (profile.precision) add(text, "precision", toml_text(name_of(*profile.precision)));
  if (every_half_width_is_known(profile)) {
    const auto half_width = [](const MeasuredProfile::Latency& size) { return ms_text(*size.half_width_ns); };
    add(text, "half_width_ms", array_text(profile.sizes, half_width));
  }
  add_times(text, "mean_ms", profile, &MeasuredProfile::Latency::mean_ns);
  add_times(text, "p10_ms", profile, &MeasuredProfile::Latency::p10_ns);
  add_times(text, "p90_ms", profile, &MeasuredProfile::Latency::p90_ns);
  add_times(text, "p99_ms", profile, &MeasuredProfile::Latency::p99_ns);
  if (profile.handover_ns) add(text, "handover_ms", ms_text(std::max<TimeNs>(0, *profile.handover_ns)));
  if (profile.fit) {
    add(text, "fit_alpha_ms", share_text(profile.fit->alpha_ms));
    add(text, "fit_beta_ms", share_text(profile.fit->beta_ms));
    add(text, "fit_r2", share_text(profile.fit->r2));
    add(text, "fit_largest_error", share_text(profile.fit->largest_error));
    add(text, "fit_largest_error_batch", std::to_string(profile.fit->largest_error_batch));
  }
  if (profile.exit_points) {
    add(text, "exit_overhead", share_text(profile.exit_points->overhead));
    add(text, "preemption_delay", share_text(profile.exit_points->preemption_delay));
    add(text, "preemption_delay_p99_ms", ms_text(profile.exit_points->preemption_delay_p99_ns));
  }
  if (profile.notes.empty()) return;
  text += "notes = [\n";
  for (const std::string& note : profile.notes) text += "  " + toml_text(note) + ",\n";
  text += "]\n";
}

/// Adds a profile, with the device and source of `set` if that is not null; otherwise these are keys of the
/// file's top.
void add_profile(std::string& text, const MeasuredProfile& profile, const MeasuredSet* set) {
  text += "\n[[profile]]\n";
  add(text, "model", toml_text(profile.model));
  if (set != nullptr) {
    add(text, "device", toml_text(set->device));
    add(text, "source", toml_text(set->source));
  }
  add(text, "batch", array_text(profile.sizes, [](const auto& size) { return std::to_string(size.batch); }));
  add_times(text, "latency_ms", profile, &MeasuredProfile::Latency::median_ns);
  if (profile.memory_mb > 0) add(text, "memory_mb", share_text(profile.memory_mb));
  if (profile.load_ns > 0) add(text, "load_ms", ms_text(profile.load_ns));
  if (profile.exit_points) add(text, "exit_points", std::to_string(profile.exit_points->exit_points));
  add_measured(text, profile);
}

/// Throws InputError unless the array, if the table has it, has as many numbers as there are sizes.
void check_array(const TableReader& fields, const std::string& key, const std::vector<double>& values,
                 std::size_t sizes) {
  if (!fields.has(key) || values.size() == sizes) return;
  throw input_error(fields.place(key), std::to_string(values.size()) + " entries",
                    std::to_string(sizes) + ", as many as latency_ms has");
}

void check_order(const TableReader& fields, const std::vector<double>& low, const std::vector<double>& high,
                 const std::string& key) {
  for (std::size_t i = 0; i < std::min(low.size(), high.size()); ++i) {
    if (low[i] <= high[i]) continue;
    throw input_error(fields.place(key), text_of(high[i]) + " below the smaller quantile " + text_of(low[i]),
                      "quantiles in order, size by size");
  }
}

}  // namespace

std::string text_of(const MeasuredSet& set) {
  std::string text =
      "# Written by `harness profile`. latency_ms: medians over the repeats; [profile.measured]: "
      "docs/profile.md.\n";
  add(text, "description", toml_text(set.description));
  add(text, "device", toml_text(set.device));
  add(text, "source", toml_text(set.source));
  for (const MeasuredProfile& profile : set.profiles) add_profile(text, profile, nullptr);
  return text;
}

std::string added_text(const std::string& file, std::string_view before, const MeasuredSet& set) {
  parse_profiles(file, before);
  std::string text(before);
  if (!text.empty() && text.back() != '\n') text += '\n';
  for (const MeasuredProfile& profile : set.profiles) add_profile(text, profile, &set);
  parse_profiles(file, text);
  return text;
}

void read_measured(const TableReader& fields, std::size_t sizes, Profile& profile) {
  const auto table = fields.read_as<MeasuredTable>();
  for (const auto& [key, values] : table.times_ms) check_array(fields, key, values, sizes);
  check_order(fields, table.times_ms.at("p10_ms"), table.times_ms.at("p90_ms"), "p90_ms");
  check_order(fields, table.times_ms.at("p90_ms"), table.times_ms.at("p99_ms"), "p99_ms");
  profile.handover_ns = table.handover_ns;
  profile.precision = table.precision;
}

}  // namespace harness
