// Fits QUART's attention to simulated chains, and measures how well it and simpler rules predict other
// chains.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/quart_weights_runs.h"
#include "systems/quart/attention.h"

namespace harness {

/// A stage with a predecessor: the input of the network, and the right output.
struct CvSample {
  AttentionFeatures itself = {};
  std::vector<AttentionNeighbour> neighbours;
  double log_cv = 0;  ///< logarithm of the measured CV
  // Inputs of the simpler rules, and of the errors' sorting.
  StageFeatures predecessor;
  double service_cv = 0;
  double input_cv = 0;
  Jitter jitter = Jitter::kOff;
  std::size_t stage = 1;  ///< place in the chain, from 0
};

/// Returns the samples of all stages except the first of each run.
std::vector<CvSample> cv_samples(const std::vector<ChainRun>& runs);

struct FitOptions {
  std::uint64_t seed = 1;
  int hidden = 6;
  int steps = 1500;
};

/// Returns the numbers that a fit changes, one after the other: W, a, theta, f, bias.
std::vector<double> numbers_of(const AttentionWeights& weights);
void set_numbers(AttentionWeights& weights, std::span<const double> numbers);

/// Returns the mean of the squared errors of log CV, and sets its gradient in the order of numbers_of().
double loss_and_gradient(const AttentionWeights& weights, std::span<const CvSample> samples,
                         std::vector<double>& gradient);

/// Returns the weights from which a fit starts: normal numbers of a small spread; theta and bias are 0.
AttentionWeights first_weights(const FitOptions& options);
/// Fits by least squares with Adam (Kingma and Ba, ICLR 2015), over all samples in each step. It is
/// deterministic.
AttentionWeights fit_attention(std::span<const CvSample> samples, const FitOptions& options);

/// One way to predict a stage's CV.
struct CvRule {
  std::string name;
  std::vector<double> cv;  ///< predicted CV, by sample
};

/// Returns the predictions of five rules: the attention; Whitt's departure formula (The Queueing Network
/// Analyzer, 1983), which is told the CV of the service times; the CV of the predecessor; the geometric mean
/// of the neighbours' CVs; and, as the best constant, the geometric mean of the CVs to predict.
std::vector<CvRule> cv_predictors(const AttentionWeights& weights, std::span<const CvSample> samples);

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
