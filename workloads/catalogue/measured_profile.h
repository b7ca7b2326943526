// A set of profiles measured here, as the text of a file that load_profiles() reads back to the same
// latencies.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/precision.h"
#include "harness/core/profile.h"
#include "harness/core/types.h"
#include "harness/files/table_reader.h"

namespace harness {

/// A [[profile]] and its [profile.measured].
struct MeasuredProfile {
  /// The distribution of one batch size's latency over its repeats.
  struct Latency {
    int batch = 0;
    TimeNs median_ns = 0;  ///< median, which is the profile's latency
    TimeNs p10_ns = 0;
    TimeNs p90_ns = 0;
    TimeNs p99_ns = 0;
    std::optional<TimeNs> half_width_ns;  ///< half width of the 95 % confidence interval of the median
    TimeNs mean_ns = 0;
  };

  /// The line alpha b + beta through the medians.
  struct Fit {
    double alpha_ms = 0;
    double beta_ms = 0;
    double r2 = 0;
    double largest_error = 0;     ///< largest error as a share of the median
    int largest_error_batch = 0;  ///< batch size that has it
  };

  /// The costs of a model's exit points: shares of the batch time without them, averages over the sizes.
  struct ExitPoints {
    int exit_points = 0;
    double overhead = 0;
    double preemption_delay = 0;
    TimeNs preemption_delay_p99_ns = 0;
  };

  std::string model;
  double memory_mb = 0;
  TimeNs load_ns = 0;
  std::vector<Latency> sizes;  ///< rising from 1
  int repeats = 0;             ///< number of repeats of each size
  std::string stopped_by;      ///< reason for no more repeats: "narrow", "rounds", "time"
  double drift = 0;            ///< share by which the second half of the repeats was slower than the first
  std::optional<Precision> precision;  ///< nothing: not known, as of a server
  /// Time from a batch's submission until its end is known, beyond its latency, at batch 1; nothing: not
  /// known.
  std::optional<TimeNs> handover_ns;
  std::optional<Fit> fit;
  std::optional<ExitPoints> exit_points;
  std::vector<std::string> notes;  ///< one line each: clocks, throttling, sizes left out
};

/// A whole file.
struct MeasuredSet {
  std::string description;
  std::string device;
  std::string source;
  std::vector<MeasuredProfile> profiles;
};

/// Returns the file's text, with latencies in ms to the nanosecond. Names and notes may be any text.
std::string text_of(const MeasuredSet& set);

/// Returns `before`, the text of a set of profiles, with the profiles of `set` appended, each with its device
/// and source: a set of several devices. All else stays as it is. `file` is for messages. Throws InputError
/// if `before` is no set, and for a model that it already has on that device.
std::string added_text(const std::string& file, std::string_view before, const MeasuredSet& set);

/// Checks the table [profile.measured] of a profile with `sizes` latencies: its keys (docs/profile.md), that
/// each array has as many entries, that quantiles are in order. Stores in `profile` the values that a run
/// uses, handover and precision. Throws InputError.
void read_measured(const TableReader& fields, std::size_t sizes, Profile& profile);

}  // namespace harness
