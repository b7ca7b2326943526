// Rules that predict the CV of a stage: QUART's attention, and simpler ones.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/cv_sample.h"
#include "systems/quart/attention_weights.h"

namespace harness {

/// One way to predict a stage's CV.
struct CvRule {
  std::string name;
  std::vector<double> cv;  ///< predicted CV, by sample
};

/// Returns the predictions of five rules: the attention; Whitt's departure formula (The Queueing Network
/// Analyzer, 1983), which is told the CV of the service times; the CV of the predecessor; the geometric mean
/// of the neighbours' CVs; and, as the best constant, the geometric mean of the CVs to predict.
std::vector<CvRule> cv_predictors(const AttentionWeights& weights, std::span<const CvSample> samples);

}  // namespace harness
