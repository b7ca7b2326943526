#include "systems/quart/attention.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/core/error.h"
#include "harness/core/random.h"

namespace harness {
namespace {

constexpr double kMinCv = 0.01;
constexpr double kMaxCv = 100;

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void multiply(std::span<const double> w, std::span<const double> x, std::span<double> out) {
  for (std::size_t row = 0; row < out.size(); ++row) out[row] = dot(w.subspan(row * x.size(), x.size()), x);
}

/// Turns the features of a successor into the features of another role.
AttentionFeatures seen_as(AttentionFeatures x, AttentionRole role) {
  if (role == AttentionRole::kPredecessor) x[0] = 1;
  if (role == AttentionRole::kItself) x[1] = 0;
  return x;
}

double leaky(double x) { return x > 0 ? x : kLeak * x; }

}  // namespace

double known_cv(const StageFeatures& stage) {
  return std::isnan(stage.arrival_cv) ? 1 : std::clamp(stage.arrival_cv, kMinCv, kMaxCv);
}

AttentionFeatures attention_features(const StageFeatures& stage, AttentionRole role) {
  const double replicas = std::max(1, stage.replicas);
  return seen_as({0, portable_log(known_cv(stage)),
                  std::clamp(stage.rate_rps * stage.service_s / replicas, 0.0, 1.0), 1 / replicas},
                 role);
}

void to_shares(std::span<double> exponents) {
  const double most = *std::ranges::max_element(exponents);
  double sum = 0;
  for (double& value : exponents) {
    value = value == most ? 1 : portable_exp(value - most);
    sum += value;
  }
  for (double& value : exponents) value /= sum;
}

void AttentionPass::run(const AttentionWeights& weights, const AttentionFeatures& itself,
                        std::span<const AttentionNeighbour> neighbours) {
  const std::size_t hidden = weights.hidden();
  own.resize(hidden);
  others.resize(neighbours.size() * hidden);
  scores.resize(neighbours.size());
  shares.resize(neighbours.size());
  updated.assign(hidden, 0);

  const std::span<const double> a = weights.a;
  multiply(weights.w, itself, own);
  const double own_score = dot(a.first(hidden), own);
  for (std::size_t j = 0; j < neighbours.size(); ++j) {
    const std::span<double> other = std::span(others).subspan(j * hidden, hidden);
    multiply(weights.w, neighbours[j].x, other);
    scores[j] = own_score + dot(a.last(hidden), other);
    shares[j] = leaky(scores[j]) + weights.theta * neighbours[j].cv;
  }
  to_shares(shares);
  for (std::size_t j = 0; j < neighbours.size(); ++j) {
    for (std::size_t h = 0; h < hidden; ++h) updated[h] += shares[j] * others[j * hidden + h];
  }
  log_cv = weights.bias + dot(weights.f, updated);
}

Attention::Attention(const Pipeline& pipeline, AttentionWeights weights) : weights_(std::move(weights)) {
  const std::size_t modules = pipeline.modules.size();
  if (weights_.stages != 0 && static_cast<std::size_t>(weights_.stages) != modules) {
    throw input_error({weights_.source, 0, "stages"}, std::to_string(weights_.stages),
                      std::to_string(modules) + ", as pipeline " + pipeline.name + " has, or 0: any number");
  }
  std::size_t most = 0;
  neighbours_.resize(modules);
  for (ModuleId m = 0; m < modules; ++m) {
    const Module& module = pipeline.modules[m];
    if (module.pres.empty()) continue;
    for (const ModuleId pre : module.pres) neighbours_[m].push_back({pre, AttentionRole::kPredecessor});
    for (const ModuleId sub : module.subs) neighbours_[m].push_back({sub, AttentionRole::kSuccessor});
    most = std::max(most, neighbours_[m].size());
  }
  features_.resize(modules);
  given_.resize(most);
  if (most > 0) pass_.run(weights_, {}, given_);  // makes room
}

void Attention::predict(std::span<const StageFeatures> stages, std::span<double> cv) {
  for (ModuleId m = 0; m < neighbours_.size(); ++m)
    features_[m] = attention_features(stages[m], AttentionRole::kSuccessor);
  for (ModuleId m = 0; m < neighbours_.size(); ++m) {
    const std::vector<Edge>& edges = neighbours_[m];
    if (edges.empty()) {
      cv[m] = known_cv(stages[m]);
      continue;
    }
    for (std::size_t j = 0; j < edges.size(); ++j) {
      const auto& [module, role] = edges[j];
      given_[j] = {seen_as(features_[module], role), known_cv(stages[module])};
    }
    pass_.run(weights_, seen_as(features_[m], AttentionRole::kItself), std::span(given_).first(edges.size()));
    cv[m] = std::clamp(portable_exp(pass_.log_cv), kMinCv, kMaxCv);
  }
}

}  // namespace harness
