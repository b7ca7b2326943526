// The pipelines of InferLine's authors on their profiles and prices, as InferLine's Estimator and Planner
// take them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/inferline_authors_data.h"
#include "harness/serving/context.h"
#include "systems/inferline/configuration.h"

namespace harness {

/// Whose rows of throughput a pipeline runs on.
enum class AuthorsTable {
  kJune,  ///< the planner's tables of June 2018
  kApril  ///< image_driver_1: what the plans of April and May 2018 imply, which is faster
};

/// What a batch takes: batch / throughput, or the P99 that the planner added up.
enum class AuthorsLatency { kService, kP99 };

struct AuthorsWorldOptions {
  AuthorsTable table = AuthorsTable::kJune;
  AuthorsLatency latency = AuthorsLatency::kService;
  bool conditional = true;  ///< false: every query visits every model
  double gpu_speed = 1;     ///< GPUs have this share of their throughput
};

/// Nothing moves: parts point at each other.
class AuthorsWorld {
 public:
  /// Throws InputError where the tables do not have a model.
  AuthorsWorld(const AuthorsData& data, const std::string& pipeline, const AuthorsWorldOptions& options);
  AuthorsWorld(const AuthorsWorld&) = delete;
  AuthorsWorld& operator=(const AuthorsWorld&) = delete;

  const Pipeline& pipeline() const { return pipeline_; }
  const Hardware& hardware() const { return *hardware_; }
  /// By module: the share of queries that visit it.
  const std::vector<double>& shares() const { return shares_; }
  /// Whether the profiles have the plan's models, kinds and batches.
  bool has_profiles(const std::vector<AuthorsStage>& stages) const;
  /// Those must be there (else throws InputError).
  Configuration configuration(const std::vector<AuthorsStage>& stages) const;
  /// Queries/s of the slowest model.
  double throughput_qps(const Configuration& configuration) const;

 private:
  Pipeline pipeline_;
  std::vector<double> shares_;
  std::vector<ClusterDevice> devices_;
  ServingContext context_;
  std::unique_ptr<Hardware> hardware_;
};

struct AuthorsSpeed {
  std::string model;
  double factor = 1;  ///< throughput of April over June
};
/// By model of image_driver_1. A GPU's: at the smallest batch that both tables have. A CPU's, of which April
/// has no table: the least with which no stored plan claims more than the model carries.
std::vector<AuthorsSpeed> april_over_june(const AuthorsData& data);

/// `queries` of that rate on average: gamma gaps of that squared CV, or even ones where it is NaN.
std::vector<TimeNs> authors_trace(double rate_qps, double scv, int queries, std::uint64_t seed);

}  // namespace harness
