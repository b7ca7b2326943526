#include "systems/quart/cv_predictor.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "harness/core/routes.h"

namespace harness {
namespace {

/// Returns the probability that a visit at `from` goes on to the module at that index of its subs.
double probability_of(const Module& from, std::size_t sub) {
  if (from.branches == Branches::kAll) return 1;
  if (from.branches == Branches::kEach) return from.branch_weights[sub];
  return from.branch_weights[sub] /
         std::accumulate(from.branch_weights.begin(), from.branch_weights.end(), 0.0);
}

double known_or_poisson(double cv) { return cv >= 0 ? cv : 1; }

}  // namespace

double departure_scv(double arrival_scv, double service_scv, double utilisation, int replicas) {
  const double rho2 = utilisation * utilisation;
  return std::max(0.0, 1 + (1 - rho2) * (arrival_scv - 1) +
                           rho2 / std::sqrt(static_cast<double>(replicas)) * (service_scv - 1));
}

CvPredictor::CvPredictor(const Pipeline& pipeline, CvMethod method, double service_cv)
    : method_(method), service_scv_(service_cv * service_cv), departures_(pipeline.modules.size(), 1) {
  if (method == CvMethod::kAttention) attention_.emplace(pipeline, built_in_attention_weights());
  const bool merges =
      std::ranges::any_of(pipeline.modules, [](const Module& module) { return module.pres.size() > 1; });
  const std::vector<double> visits =
      merges ? visit_probabilities(pipeline) : std::vector<double>(pipeline.modules.size(), 1);
  begins_.push_back(0);
  for (ModuleId m = 0; m < pipeline.modules.size(); ++m) {
    double sum = 0;
    for (const ModuleId pre : pipeline.modules[m].pres) {
      const Module& from = pipeline.modules[pre];
      const auto sub = std::find(from.subs.begin(), from.subs.end(), m) - from.subs.begin();
      const double probability = probability_of(from, static_cast<std::size_t>(sub));
      inflows_.push_back({pre, probability, visits[pre] * probability});
      sum += inflows_.back().share;
    }
    for (std::size_t i = begins_.back(); i < inflows_.size(); ++i) inflows_[i].share /= sum;
    begins_.push_back(inflows_.size());
  }
}

void CvPredictor::predict(std::span<const StageFeatures> stages, std::span<double> cv) {
  if (method_ == CvMethod::kQna) {
    predict_by_qna(stages, cv);
    return;
  }
  if (attention_) {
    attention_->predict(stages, cv);
    return;
  }
  for (std::size_t m = 0; m < stages.size(); ++m) cv[m] = known_or_poisson(stages[m].arrival_cv);
}

void CvPredictor::predict_by_qna(std::span<const StageFeatures> stages, std::span<double> cv) {
  for (std::size_t m = 0; m < stages.size(); ++m) {
    const StageFeatures& stage = stages[m];
    double scv = 0;
    if (begins_[m] == begins_[m + 1]) {
      scv = known_or_poisson(stage.arrival_cv) * known_or_poisson(stage.arrival_cv);
    } else {
      // If a share p of the departures comes here, it has p c^2 + 1 - p. Several flows count by their rates.
      for (std::size_t i = begins_[m]; i < begins_[m + 1]; ++i) {
        const Inflow& flow = inflows_[i];
        scv += flow.share * (flow.probability * departures_[flow.from] + 1 - flow.probability);
      }
    }
    cv[m] = std::sqrt(scv);
    const double utilisation = std::min(1.0, stage.rate_rps * stage.service_s / stage.replicas);
    departures_[m] = departure_scv(scv, service_scv_, utilisation, stage.replicas);
  }
}

}  // namespace harness
