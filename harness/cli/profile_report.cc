#include "harness/cli/profile_report.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <filesystem>

#include "harness/core/build_info.h"
#include "harness/core/wording.h"
#include "harness/gpu/device/device_traits.h"
#include "harness/machine/cpu_facts.h"
#include "harness/machine/machine_text.h"
#include "harness/text/text_table.h"
#include "workloads/catalogue/profile_notes.h"

namespace harness {
namespace {

std::string number(const char* format, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string ms(TimeNs time_ns) { return number("%.3f", ns_to_ms(time_ns)); }
std::string percent(double share) { return number("%.1f %%", 100 * share); }
double mib(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

void add_ms(TextTable& table, const char* column, TimeNs time_ns) {
  table.add({column}, ns_to_ms(time_ns), ms(time_ns));
}

double widest(const ModelProfile& profile) {
  double share = 0;
  for (const BatchLatency& size : profile.sizes) share = std::max(share, size.time.half_width_share());
  return share;
}

std::string stop_text(const ModelProfile& profile) {
  const std::string rounds = std::to_string(profile.sizes.front().time.repeats) + " rounds";
  if (profile.stopped_by == StoppedBy::kNarrow) return rounds;
  const char* limit = profile.stopped_by == StoppedBy::kTime ? "the time limit" : "the limit of rounds";
  if (profile.sizes.front().time.half_width_ns)
    return "stopped by " + std::string(limit) + " after " + rounds + ", half-widths up to " +
           percent(widest(profile));
  return "stopped by " + std::string(limit) + " after " + rounds + ", too few to know how exact they are";
}

std::string fit_text(const LatencyFit& fit) {
  return number("%.4g b ", fit.alpha_ns / 1e6) + number("%+.4g ms", fit.beta_ns / 1e6) +
         number(", R2 %.5f", fit.r2) + ", largest error " + percent(fit.largest_error) + " at " +
         std::to_string(fit.largest_error_batch);
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &parts);
  return text.data();
}

std::string threads_text(const DeviceSpec& spec) {
  return !traits_of(spec.kind).takes_threads
             ? ""
             : std::to_string(spec.threads) + (spec.threads == 1 ? " thread" : " threads");
}

}  // namespace

MeasuredProfile measured_times(const ModelProfile& profile) {
  MeasuredProfile result;
  result.model = profile.model;
  for (const BatchLatency& size : profile.sizes) {
    const TimingSummary& time = size.time;
    result.sizes.push_back({size.batch, time.median_ns, time.p10_ns, time.p90_ns, time.p99_ns,
                            time.half_width_ns, time.mean_ns});
  }
  result.repeats = static_cast<int>(profile.sizes.front().time.repeats);
  result.stopped_by = name_of(profile.stopped_by);
  result.drift = profile.drift;
  if (profile.fit) {
    const LatencyFit& fit = *profile.fit;
    result.fit = MeasuredProfile::Fit{fit.alpha_ns / 1e6, fit.beta_ns / 1e6, fit.r2, fit.largest_error,
                                      fit.largest_error_batch};
  }
  if (profile.stopped_by != StoppedBy::kNarrow) result.notes.push_back(stop_text(profile));
  result.notes.insert(result.notes.end(), profile.notes.begin(), profile.notes.end());
  return result;
}

MeasuredProfile measured_profile(const ModelProfile& profile, const ProfileJob& job,
                                 const std::vector<std::string>& machine_notes) {
  MeasuredProfile result = measured_times(profile);
  result.memory_mb = static_cast<double>(profile.model_bytes) / 1e6;
  result.load_ns = profile.load_ns;
  result.precision = job.source.precision;
  result.handover_ns = profile.handover_ns;
  if (profile.exit_points) {
    const ExitPointCost& cost = *profile.exit_points;
    result.exit_points =
        MeasuredProfile::ExitPoints{cost.exit_points, cost.overhead, cost.delay_share, cost.delay_p99_ns};
  }
  result.notes.push_back("images of " + std::to_string(job.params.image_height) + " x " +
                         std::to_string(job.params.image_width) + " pixels");
  if (!job.source.file.empty()) result.notes.push_back("TorchScript file " + job.source.file);
  if (profile.refused_batch > 0) {
    result.notes.push_back("batches of " + std::to_string(profile.refused_batch) +
                           " and more were too much for the device's memory");
  }
  result.notes.insert(result.notes.end(), machine_notes.begin(), machine_notes.end());
  return result;
}

std::string source_text() {
  return "harness profile, " + today() + ", " + version_text() + ", commit " + kGitCommit +
         (kGitDirty ? " with local changes" : "") + "; " + machine_text();
}

MeasuredSet measured_set(const ProfileJobs& jobs) {
  const std::string threads = threads_text(jobs.device);
  const RepeatRule& rule = jobs.jobs.front().params.rule;
  MeasuredSet set;
  set.device = jobs.device_name;
  if (!threads.empty()) set.device += " (" + read_cpu_facts().model + ", " + threads + ")";
  set.description = "measured on " + set.device + " in " + name_of(jobs.jobs.front().source.precision);
  set.source = source_text() + (threads.empty() ? "" : ", " + threads) +
               "; medians, repeated until half of their 95 % confidence interval is within " +
               percent(rule.half_width) + " or " + number("%g s", ns_to_s(rule.limit_ns)) + " have passed";
  return set;
}

std::string times_text(const ModelProfile& profile) {
  TextTable table;
  for (const BatchLatency& size : profile.sizes) {
    const TimingSummary& time = size.time;
    table.add_row();
    table.add({"batch"}, size.batch);
    add_ms(table, "median_ms", time.median_ns);
    table.add({"+-"}, time.half_width_share(), time.half_width_ns ? percent(time.half_width_share()) : "");
    add_ms(table, "mean_ms", time.mean_ns);
    add_ms(table, "p10_ms", time.p10_ns);
    add_ms(table, "p90_ms", time.p90_ns);
    add_ms(table, "p99_ms", time.p99_ns);
  }
  std::string text = aligned_text(table);
  if (profile.fit) text += "latency is about " + fit_text(*profile.fit) + "\n";
  return text + stop_text(profile) + "; drift " + number("%+.1f %%", 100 * profile.drift);
}

std::string written_text(const std::string& output, std::size_t profiles) {
  const std::string path = std::filesystem::absolute(output).lexically_normal().string();
  return output + ": " + counted(profiles, "profile") +
         "; experiments take it with --set cluster.profiles=" + path + "\n";
}

std::string report_text(const ModelProfile& profile) {
  std::string text = profile.model + " on " + profile.device + ": loaded in " + ms(profile.load_ns) +
                     " ms, " + number("%.1f MiB", mib(profile.model_bytes)) + " of weights, " +
                     number("%.1f MiB", mib(profile.input_bytes)) + " of input buffers\n" +
                     times_text(profile) + "; handing over " +
                     number("%.0f us", static_cast<double>(profile.handover_ns) / 1e3) + "\n";
  if (profile.refused_batch > 0)
    text += "batches of " + std::to_string(profile.refused_batch) + " do not fit into the device's memory\n";
  if (profile.exit_points) {
    const ExitPointCost& cost = *profile.exit_points;
    text += counted(cost.exit_points, "exit point") + ": exit overhead " +
            number("%+.1f %%", 100 * cost.overhead) + " of the batch time, preemption delay " +
            percent(cost.delay_share) + " (median " + ms(cost.delay_median_ns) + " ms, p99 " +
            ms(cost.delay_p99_ns) + " ms); " + std::to_string(cost.stopped) + " of " +
            std::to_string(cost.stopped + cost.ran_out) + " stopped early\n";
  }
  return text;
}

std::string warnings_text(const ModelProfile& profile, const ProfileJob& job,
                          std::optional<double> others_share) {
  constexpr double kMuch = 0.1;
  std::string text;
  if (widest(profile) > job.params.rule.half_width)
    text += "warning: the medians are less exact than asked for (--half-width " +
            percent(job.params.rule.half_width) +
            "): take a quieter machine, a larger --limit-s or smaller batches\n";
  if (job.wants_exit_points && !profile.exit_points)
    text += "warning: --exit-points changes nothing: " +
            (job.source.file.empty() ? "none are known of " + profile.model
                                     : job.source.file + " is a TorchScript file, which has none") +
            "\n";
  if (others_share && *others_share > kMuch)
    text += "warning: other processes and virtual machines took " + number("%.0f %%", 100 * *others_share) +
            " of the processors' time, which is in the medians\n";
  return text;
}

std::string text_of_set(const ProfileSet& set) {
  std::vector<std::string> models;
  for (const auto& [model, profile] : set.profiles) models.push_back(model);
  std::vector<std::string> devices;
  for (const auto& [device, profiles] : set.devices) devices.push_back(device);
  bool has_measured = false;
  for (const auto& [device, profiles] : set.devices) {
    for (const auto& [model, profile] : profiles) has_measured |= profile.precision.has_value();
  }
  std::string notes;
  for (const auto& [device, profiles] : set.devices) {
    for (const auto& [model, profile] : profiles) {
      for (const std::string& note : odd_latencies(profile))
        notes += "\n    warning: " + model + " on " + device + ": " + note;
    }
  }
  return "profiles of " + counted(models.size(), "model") + ": " + join_names(models) + "; on " +
         join_names(devices) +
         (has_measured
              ? "\n    of [profile.measured] a run uses handover_ms and precision; its other keys have no "
                "effect"
              : "") +
         notes;
}

}  // namespace harness
