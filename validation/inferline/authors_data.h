// The published measurements of InferLine's authors (2017-2018), read from the folder that holds them as
// numbers: prices.csv, profiles.csv, planner_choices.csv and runs.csv. A field that is empty there is NaN.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace harness {

struct AuthorsStage;
struct AuthorsProfileRow;
struct AuthorsPlan;
struct AuthorsRun;

/// All that they published as numbers.
struct AuthorsData {
  std::map<std::string, double> prices;  ///< prices in $/h on AWS: "cpu", "k80", "v100"
  std::vector<AuthorsProfileRow> profiles;
  std::vector<AuthorsPlan> plans;
  std::vector<AuthorsRun> runs;

  /// Returns the $/h of the resources that one replica takes.
  double price(const AuthorsStage& stage) const;
};

/// One model of a plan: "model=gpu/1cpu/bBATCH/xREPLICAS".
struct AuthorsStage {
  std::string model;
  std::string gpu;  ///< kind of GPU; "none": the model runs on CPUs alone
  int gpus = 0;     ///< number of GPUs of one replica
  int cpus = 0;
  double batch = 0;  ///< batch size; 0: not known
  int replicas = 0;
};

struct AuthorsProfileRow {
  std::string path;
  std::string kind;  ///< planner_table: used by the planner of June 2018; derived_from_plans: of April, May
  std::string model;
  std::string gpu;
  double batch = 0;
  double qps = 0;
  double p99_ms = 0;
};

struct AuthorsPlan {
  std::string key;
  std::string pipeline;
  std::string planner;
  double slo_s = 0;
  double scv = 0;
  double cap = 0;  ///< share of the profiles' throughput that the planner allowed
  double lam_qps = 0;
  std::vector<AuthorsStage> stages;
  double usd_per_h = 0;
  double path_p99_s = 0;
  double throughput_qps = 0;

  /// True for a plan for the pipeline as one process.
  bool is_coarse() const { return planner.starts_with("coarse"); }
  /// True for plans of April and May 2018, with arrival and service curves for the gaps of that scv.
  bool has_curves() const { return planner == "greedy+network_calculus"; }
  /// True for plans of June 2018, with 1.5 times the sum of P99s, and no load to plan for.
  bool is_of_june() const { return planner.starts_with("greedy,"); }
  bool has_scale_factors() const { return !planner.ends_with("no_scale_factors"); }
};

struct AuthorsRun {
  std::string id;
  std::string set;
  std::string pipeline;
  double slo_s = 0;
  double scv = 0;
  double lam_qps = 0;
  double utilisation = 0;
  double usd_per_h = 0;
  double gpus = 0;
  std::vector<AuthorsStage> stages;  ///< stages; empty: not known
  double miss_rate = 0;

  bool is_sweep() const { return set.starts_with("util_sweep"); }
  bool is_of_a_plan() const { return set.starts_with("inferline_"); }
};

/// Reads the files of the folder. Throws InputError if a file or a column is missing, or a field has a wrong
/// value.
AuthorsData read_authors(const std::string& folder);

}  // namespace harness
