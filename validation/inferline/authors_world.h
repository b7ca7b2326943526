// The pipelines of InferLine's authors with their profiles and prices, as InferLine's Estimator and Planner
// take them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/serving/cluster_device.h"
#include "harness/serving/serving_context.h"
#include "systems/inferline/hardware.h"
#include "systems/inferline/model_configuration.h"
#include "validation/inferline/authors_data.h"

namespace harness {

/// The tables of throughput that a pipeline can run on.
enum class AuthorsTable {
  kJune,  ///< the planner's tables of June 2018
  kApril  ///< for image_driver_1: the throughput that the plans of April and May 2018 imply; it is higher
};

/// The time of a batch: batch / throughput, or the P99 that the planner added up.
enum class AuthorsLatency { kService, kP99 };

struct AuthorsWorldOptions;

/// A pipeline of the authors with hardware and profiles. It cannot be copied or moved: its parts point at
/// each other.
class AuthorsWorld {
 public:
  /// Throws InputError if the tables do not have a model.
  AuthorsWorld(const AuthorsData& data, const std::string& pipeline, const AuthorsWorldOptions& options);
  AuthorsWorld(const AuthorsWorld&) = delete;
  AuthorsWorld& operator=(const AuthorsWorld&) = delete;

  const Pipeline& pipeline() const { return pipeline_; }
  const Hardware& hardware() const { return *hardware_; }
  /// Returns the share of queries that visit each module.
  const std::vector<double>& shares() const { return shares_; }
  /// True if the profiles have the plan's models, kinds and batches.
  bool has_profiles(const std::vector<AuthorsStage>& stages) const;
  /// Returns the configuration of these stages, which must be in the profiles (else throws InputError).
  Configuration configuration(const std::vector<AuthorsStage>& stages) const;
  /// Returns the queries/s of the slowest model.
  double throughput_qps(const Configuration& configuration) const;

 private:
  Pipeline pipeline_;
  std::vector<double> shares_;
  std::vector<ClusterDevice> devices_;
  ServingContext context_;
  std::unique_ptr<Hardware> hardware_;
};

/// The choices among what the authors published.
struct AuthorsWorldOptions {
  AuthorsTable table = AuthorsTable::kJune;
  AuthorsLatency latency = AuthorsLatency::kService;
  bool conditional = true;  ///< true: queries choose branches; false: every query visits every model
  double gpu_speed = 1;     ///< share of their throughput that GPUs have
};

struct AuthorsSpeed {
  std::string model;
  double factor = 1;  ///< throughput of April over the throughput of June
};
/// Returns the factor of each model of image_driver_1. For a model on GPUs it is taken at the smallest batch
/// that both tables have. For a model on CPUs, of which April has no table, it is the least factor with which
/// no stored plan claims more than the model carries.
std::vector<AuthorsSpeed> april_over_june(const AuthorsData& data);

/// Returns the times of about `queries` queries at this mean rate: with gamma gaps of squared CV `scv`, or
/// even gaps if `scv` is NaN.
std::vector<TimeNs> authors_trace(double rate_qps, double scv, int queries, std::uint64_t seed);

}  // namespace harness
