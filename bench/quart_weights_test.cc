#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "bench/counted_allocations.h"
#include "bench/fitted_attention.h"
#include "harness/core/input_error.h"
#include "harness/files/file_bytes.h"
#include "systems/quart/attention.h"

namespace harness {
namespace {

/// Returns settings of a small fit, of which only the form counts.
FitSettings small() {
  FitSettings settings;
  settings.training.count = 24;
  settings.held_out.count = 12;
  settings.training.requests = settings.held_out.requests = 300;
  settings.fit.steps = 40;
  return settings;
}

/// Returns the reader's message for `text` with `is` in the place of `was`.
std::string refusal(std::string text, const std::string& was, const std::string& is) {
  const std::size_t at = text.find(was);
  EXPECT_NE(at, std::string::npos) << was;
  text.replace(at, was.size(), is);
  try {
    parse_attention_weights("weights.toml", text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "taken";
}

TEST(QuartWeights, TheGradientEqualsNumericDifferences) {
  const std::vector<CvSample> samples =
      cv_samples(simulate_chains({.seed = 3, .name = "gradient", .count = 12, .stages = 0, .requests = 300}));
  ASSERT_GT(samples.size(), 20U);
  AttentionWeights weights = first_weights({.seed = 5, .hidden = 3, .steps = 0});
  weights.theta = -0.3;
  weights.bias = 0.2;
  std::vector<double> gradient;
  loss_and_gradient(weights, samples, gradient);
  const std::vector<double> numbers = numbers_of(weights);
  ASSERT_EQ(gradient.size(), numbers.size());
  std::vector<double> unused;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    constexpr double kStep = 1e-5;
    std::vector<double> moved = numbers;
    moved[i] = numbers[i] + kStep;
    set_numbers(weights, moved);
    const double above = loss_and_gradient(weights, samples, unused);
    moved[i] = numbers[i] - kStep;
    set_numbers(weights, moved);
    const double below = loss_and_gradient(weights, samples, unused);
    EXPECT_NEAR(gradient[i], (above - below) / (2 * kStep), 1e-5 * (1 + std::abs(gradient[i]))) << i;
  }
}

TEST(QuartWeights, TheSameCommandMakesTheSameFile) {
  const FitSettings settings = small();
  const std::string text = weights_text(settings, fit_and_judge(settings));
  EXPECT_EQ(weights_text(settings, fit_and_judge(settings)), text);
  FitSettings other = small();
  other.fit.seed = other.training.seed = 2;
  EXPECT_NE(weights_text(other, fit_and_judge(other)), text);
}

TEST(QuartWeights, AFileIsReadAsItWasWritten) {
  const FitSettings settings = small();
  const FittedAttention fitted = fit_and_judge(settings);
  const AttentionWeights read = parse_attention_weights("weights.toml", weights_text(settings, fitted));
  EXPECT_EQ(numbers_of(read), numbers_of(fitted.weights));
  EXPECT_EQ(read.stages, fitted.weights.stages);
}

TEST(QuartWeights, TheProgramHasTheWeightsOfItsFile) {
  const std::string file = "systems/quart/attention.toml";
  const AttentionWeights read = parse_attention_weights(file, read_file(file));
  EXPECT_EQ(numbers_of(built_in_attention_weights()), numbers_of(read));
  EXPECT_EQ(built_in_attention_weights().stages, read.stages);
  EXPECT_EQ(built_in_attention_weights().source, file);
}

TEST(QuartWeights, AFitMakesTheErrorSmaller) {
  const std::vector<CvSample> samples =
      cv_samples(simulate_chains({.seed = 3, .name = "fit", .count = 30, .stages = 0, .requests = 300}));
  std::vector<double> unused;
  const double before = loss_and_gradient(first_weights({}), samples, unused);
  const double after =
      loss_and_gradient(fit_attention(samples, {.seed = 1, .hidden = 6, .steps = 300}), samples, unused);
  EXPECT_LT(after, before / 4);
}

TEST(QuartWeights, ATailoredFileSaysForHowManyStages) {
  FitSettings settings = small();
  settings.training.stages = settings.held_out.stages = 4;
  const FittedAttention fitted = fit_and_judge(settings);
  const AttentionWeights read = parse_attention_weights("four.toml", weights_text(settings, fitted));
  EXPECT_NO_THROW(Attention(chain_pipeline(4), read));
  EXPECT_THROW(Attention(chain_pipeline(8), read), InputError);
}

/// On runs that no fit has seen, the error is at most half the error of one CV for all stages, and less than
/// the errors of the formula for departures and of the neighbours' own CVs.
TEST(QuartWeights, TheyPredictOtherRunsBetterThanSimpleRules) {
  const std::vector<CvSample> samples =
      cv_samples(simulate_chains({.seed = 77, .name = "test", .count = 90, .stages = 0, .requests = 2000}));
  const std::vector<CvRule> predictors = cv_predictors(built_in_attention_weights(), samples);
  const double attention = cv_error(predictors[0], samples).log_rms;
  for (std::size_t p = 1; p < predictors.size(); ++p) {
    const double simple = cv_error(predictors[p], samples).log_rms;
    EXPECT_LT(attention, predictors[p].name == "constant" ? simple / 2 : simple) << predictors[p].name;
  }
}

/// Whitt's formula is exact here: Poisson arrivals and exponential times leave as they come.
TEST(QuartWeights, OfPoissonArrivalsAndExponentialTimesTheFormulaSaysOne) {
  CvSample sample;
  sample.neighbours = {{{}, 1}};
  sample.predecessor = {100, 0.008, 1, 1};
  sample.service_cv = 1;
  const std::vector<CvSample> samples = {sample};
  const std::vector<CvRule> predictors = cv_predictors(first_weights({}), samples);
  EXPECT_EQ(predictors[1].name, "QNA");
  EXPECT_NEAR(predictors[1].cv[0], 1, 1e-12);
}

TEST(QuartWeights, PredictingAllocatesNothing) {
  Attention attention(chain_pipeline(8), built_in_attention_weights());
  const std::vector<StageFeatures> stages(8, {100, 0.01, 2, 1.5});
  std::vector<double> cv(stages.size());
  const std::int64_t before = allocations();
  attention.predict(stages, cv);
  EXPECT_EQ(allocations(), before);
}

TEST(QuartWeights, ADamagedFileIsRefusedInOneLine) {
  const std::string text =
      "stages = 0\n"
      "features = [\"predecessor\", \"log_cv\", \"utilisation\", \"one_over_replicas\"]\n"
      "hidden = 1\n"
      "theta = 0.5\n"
      "bias = 0\n"
      "w = [1, 2, 3, 4]\n"
      "a = [1, 2]\n"
      "f = [1]\n";
  EXPECT_EQ(refusal(text, "stages = 0", "stages = 3"), "taken");
  EXPECT_EQ(refusal(text, "[1, 2, 3, 4]", "[1, 2, 3]"),
            "weights.toml:6: w: found 3 numbers; allowed: 4 for hidden = 1");
  EXPECT_EQ(refusal(text, "theta = 0.5", "theta = nan"),
            "weights.toml:4: theta: found nan; allowed: a number from -1e+06 to 1e+06");
  EXPECT_EQ(refusal(text, "[1, 2]", "[1, inf]"),
            "weights.toml:7: a: found inf; allowed: a number from -1e+06 to 1e+06");
  EXPECT_EQ(refusal(text, "[1, 2]", "[1, \"2\"]"),
            "weights.toml:7: a: found \"2\"; allowed: a number from -1e+06 to 1e+06");
  EXPECT_EQ(refusal(text, "bias = 0\n", ""), "weights.toml:1: bias: missing; expected a number");
  EXPECT_EQ(
      refusal(text, "bias", "bais"),
      "weights.toml:5: bais: found unknown key 'bais', did you mean 'bias'?; allowed: stages, features, "
      "hidden, theta, bias, w, a, f, fitted");
  EXPECT_EQ(refusal(text, "f = [1]", "f = [1"),
            "weights.toml:8: found Error while parsing array: encountered end-of-file; allowed: TOML 1.0");
  EXPECT_EQ(refusal(text, "hidden = 1", "hidden = 0"),
            "weights.toml:3: hidden: found 0; allowed: an integer from 1 to 64");
  EXPECT_EQ(refusal(text, "stages = 0", "stages = -1"),
            "weights.toml:1: stages: found -1; allowed: an integer from 0 to 4096");
  EXPECT_EQ(refusal(text, "\"log_cv\"", "\"cv\""),
            "weights.toml:2: features: found predecessor, cv, utilisation, one_over_replicas; allowed: "
            "predecessor, log_cv, utilisation, one_over_replicas");
}

}  // namespace
}  // namespace harness
