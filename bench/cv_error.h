// The errors of predicted CVs.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bench/cv_rule.h"
#include "bench/cv_sample.h"

namespace harness {

/// The mean of |predicted / measured - 1|, and the root of the mean squared error of the logarithm.
struct CvError {
  std::size_t samples = 0;
  double relative = 0;
  double log_rms = 0;
};
CvError cv_error(const CvRule& predictor, std::span<const CvSample> samples);

/// Returns the errors of all predictors as a Markdown table: over all samples, by input CV, by how execution
/// times scatter, of the second stages, where the CV changes most, and of the last stages, whose only
/// neighbour is their predecessor.
std::string error_table(const std::vector<CvRule>& predictors, std::span<const CvSample> samples);

}  // namespace harness
