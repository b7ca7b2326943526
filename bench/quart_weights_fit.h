// Fits QUART's attention to simulated chains, and says how well it and simpler rules predict others.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/quart_weights_runs.h"
#include "systems/quart/attention.h"

namespace harness {

/// A stage with a predecessor: what the network is given, and what it should say.
struct CvSample {
  AttentionFeatures itself = {};
  std::vector<AttentionNeighbour> neighbours;
  double log_cv = 0;  ///< of the measured CV
  // For the simpler rules, and to sort the errors by.
  StageFeatures predecessor;
  double service_cv = 0;
  double input_cv = 0;
  Jitter jitter = Jitter::kOff;
  std::size_t stage = 1;  ///< its place in the chain, from 0
};

/// Of all stages but the first of each run.
std::vector<CvSample> cv_samples(const std::vector<ChainRun>& runs);

struct FitOptions {
  std::uint64_t seed = 1;
  int hidden = 6;
  int steps = 1500;
};

/// What a fit changes, one after the other: W, a, theta, f, bias.
std::vector<double> numbers_of(const AttentionWeights& weights);
void set_numbers(AttentionWeights& weights, std::span<const double> numbers);

/// The mean of the squared errors of log CV, and its gradient by numbers_of.
double loss_and_gradient(const AttentionWeights& weights, std::span<const CvSample> samples,
                         std::vector<double>& gradient);

/// Weights from which a fit starts: normal numbers of a small spread; theta and bias 0.
AttentionWeights first_weights(const FitOptions& options);
/// Least squares by Adam (Kingma and Ba, ICLR 2015) over all samples in each step. Deterministic.
AttentionWeights fit_attention(std::span<const CvSample> samples, const FitOptions& options);

/// One way to predict a stage's CV.
struct CvRule {
  std::string name;
  std::vector<double> cv;  ///< by sample
};

/// The attention, Whitt's departure formula (The Queueing Network Analyzer, 1983) told the CV of the service
/// times, the CV of the predecessor, the geometric mean of the neighbours' and, for all the same, that of
/// what there is to predict: the best constant.
std::vector<CvRule> cv_predictors(const AttentionWeights& weights, std::span<const CvSample> samples);

/// Mean of |predicted / measured - 1|, and root of the mean squared error of the logarithm.
struct CvError {
  std::size_t samples = 0;
  double relative = 0;
  double log_rms = 0;
};
CvError cv_error(const CvRule& predictor, std::span<const CvSample> samples);

/// The errors of all predictors as a Markdown table: over all samples, by input CV, by how execution times
/// scatter, of the second stages, where the CV changes most, and of the last ones, which have a predecessor
/// alone.
std::string error_table(const std::vector<CvRule>& predictors, std::span<const CvSample> samples);

}  // namespace harness
