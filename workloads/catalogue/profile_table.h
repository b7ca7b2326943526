// The tables of a set of profiles as they are written.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/core/param_list.h"
#include "harness/core/profile.h"

namespace harness {

/// The largest batch of a profile.
inline constexpr int kLargestBatch = 4096;

/// [[profile]]
struct ProfileTable {
  Profile profile;  ///< the keys that it holds as they are
  double alpha_ms = 0;
  double beta_ms = 0;
  int max_batch = 1;
  std::vector<double> latency_ms;
  std::vector<double> batch;
  std::vector<double> goodput_slo_ms;
  std::vector<double> goodput_rps;

  void list(ParamList& params);
};

/// The top level of the file.
struct SetTable {
  std::string description;
  std::string device;
  std::string source;
  std::string goodput_source;
  std::string base;
  double add_ms_per_batch = 0;
  double add_ms_per_query = 0;

  void list(ParamList& params);
};

/// [profile.measured]: how it was measured. A run uses the handover and the precision.
struct MeasuredTable {
  int repeats = 1;
  std::string stopped_by;
  Precision precision = Precision::kFp32;
  std::map<std::string, std::vector<double>> times_ms;  ///< for each size, by key
  TimeNs handover_ns = 0;
  std::map<std::string, double> numbers;  ///< the other numbers by key
  int fit_largest_error_batch = 1;
  std::vector<std::string> notes;

  void list(ParamList& params);
};

/// [[shared]]
struct SharedTable {
  Profile profile;  ///< the keys that it holds as they are
  std::vector<double> concurrency;
  std::vector<double> decode_tokens_per_s;

  void list(ParamList& params);
};

/// [[delay]]
struct DelayTable {
  Profile profile;

  void list(ParamList& params);
};

}  // namespace harness
