#include "bench/cv_rule.h"

#include <algorithm>
#include <cmath>

#include "harness/core/portable_math.h"
#include "systems/quart/attention_pass.h"
#include "systems/quart/cv_predictor.h"

namespace harness {
namespace {

/// The least prediction, the same as the network's: the formula gives 0 for constant gaps.
constexpr double kMinPrediction = 0.01;

double mean_log_cv(std::span<const CvSample> samples) {
  double sum = 0;
  for (const CvSample& sample : samples) sum += sample.log_cv;
  return sum / static_cast<double>(samples.size());
}

double utilisation(const StageFeatures& stage) {
  return std::clamp(stage.rate_rps * stage.service_s / stage.replicas, 0.0, 1.0);
}

double departure_cv(const StageFeatures& stage, double service_cv) {
  const double cv = known_cv(stage);
  return std::sqrt(departure_scv(cv * cv, service_cv * service_cv, utilisation(stage), stage.replicas));
}

}  // namespace

std::vector<CvRule> cv_predictors(const AttentionWeights& weights, std::span<const CvSample> samples) {
  const double constant = portable_exp(mean_log_cv(samples));
  std::vector<CvRule> result = {
      {"attention", {}}, {"QNA", {}}, {"predecessor", {}}, {"mean of neighbours", {}}, {"constant", {}}};
  AttentionPass pass;
  for (const CvSample& sample : samples) {
    pass.run(weights, sample.itself, sample.neighbours);
    double log_sum = 0;
    for (const AttentionNeighbour& neighbour : sample.neighbours) log_sum += portable_log(neighbour.cv);
    const double values[] = {portable_exp(pass.log_cv), departure_cv(sample.predecessor, sample.service_cv),
                             known_cv(sample.predecessor),
                             portable_exp(log_sum / static_cast<double>(sample.neighbours.size())), constant};
    for (std::size_t p = 0; p < result.size(); ++p)
      result[p].cv.push_back(std::max(values[p], kMinPrediction));
  }
  return result;
}

}  // namespace harness
