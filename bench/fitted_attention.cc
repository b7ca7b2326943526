#include "bench/fitted_attention.h"

#include <cstdio>

#include "harness/core/param_list.h"
#include "harness/core/wording.h"
#include "harness/files/table_reader.h"

namespace harness {
namespace {

constexpr double kLargest = 1e6;  ///< largest absolute value of a weight
constexpr int kMaxHidden = 64;
constexpr int kMaxStages = 4096;

/// Returns the numbers as a list of TOML, four to a line.
std::string toml_list(const std::vector<double>& numbers) {
  std::string text = "[";
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) text += i % 4 == 0 ? ",\n  " : ", ";
    text += text_of(numbers[i]);
  }
  return text + "]";
}

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", value);
  return text;
}

/// Returns the numbers of a key, of which there must be `count`.
std::vector<double> exactly(const TableReader& fields, const char* key, std::size_t count) {
  std::vector<double> numbers = fields.numbers(key, -kLargest, kLargest);
  if (numbers.size() != count) {
    throw input_error(
        fields.place(key), counted(numbers.size(), "number"),
        std::to_string(count) + " for hidden = " + text_of(fields.number("hidden", 1, kMaxHidden)));
  }
  return numbers;
}

}  // namespace

FittedAttention fit_and_judge(const FitSettings& settings) {
  const std::vector<CvSample> training = cv_samples(simulate_chains(settings.training));
  const std::vector<CvSample> held_out = cv_samples(simulate_chains(settings.held_out));
  FittedAttention fitted;
  fitted.weights = fit_attention(training, settings.fit);
  fitted.weights.stages = settings.training.stages;
  fitted.training_samples = training.size();
  fitted.training = cv_error(cv_predictors(fitted.weights, training).front(), training);
  const std::vector<CvRule> predictors = cv_predictors(fitted.weights, held_out);
  fitted.held_out = cv_error(predictors.front(), held_out);
  fitted.table = error_table(predictors, held_out);
  return fitted;
}

std::string weights_text(const FitSettings& settings, const FittedAttention& fitted) {
  const AttentionWeights& weights = fitted.weights;
  const auto number = [](auto value) { return std::to_string(value); };
  std::string features;
  for (const char* name : kAttentionFeatures) {
    features += features.empty() ? "" : ", ";
    features += '"' + std::string(name) + '"';
  }
  std::string text =
      "# Weights of QUART's attention (section 5.2, Eq. 4-6), fitted to simulated chains by "
      "bench/quart_weights;\n"
      "# systems/quart/README.md says how. The command that makes this file, to the byte:\n"
      "#     build/release/bench/quart_weights FILE";
  text += " --seed " + number(settings.fit.seed) + " --stages " + number(settings.training.stages);
  text += " --hidden " + number(settings.fit.hidden) + " --training " + number(settings.training.count);
  text += " --held-out " + number(settings.held_out.count) + "\n";
  const auto put = [&](const char* key, const std::string& value) {
    text += std::string(key) + " = " + value + "\n";
  };
  put("stages", number(weights.stages));
  put("features", "[" + features + "]");
  put("hidden", number(weights.hidden()));
  put("theta", text_of(weights.theta));
  put("bias", text_of(weights.bias));
  put("w", toml_list(weights.w));
  put("a", toml_list(weights.a));
  put("f", toml_list(weights.f));
  text +=
      "\n# Errors: root of the mean squared error of the logarithm; mean of |predicted / measured - 1|.\n"
      "[fitted]\n";
  put("seed", number(settings.fit.seed));
  put("steps", number(settings.fit.steps));
  put("requests_per_run", text_of(settings.training.requests));
  put("training_runs", number(settings.training.count));
  put("training_samples", number(fitted.training_samples));
  put("training_log_rms", rounded(fitted.training.log_rms));
  put("training_relative", rounded(fitted.training.relative));
  put("held_out_runs", number(settings.held_out.count));
  put("held_out_samples", number(fitted.held_out.samples));
  put("held_out_log_rms", rounded(fitted.held_out.log_rms));
  put("held_out_relative", rounded(fitted.held_out.relative));
  return text;
}

AttentionWeights parse_attention_weights(const std::string& file, std::string_view bytes) {
  const TomlValue tree = parse_toml(file, bytes);
  const TableReader fields(file, tree);
  fields.require_known({"stages", "features", "hidden", "theta", "bias", "w", "a", "f", "fitted"});
  const std::vector<std::string> features(kAttentionFeatures.begin(), kAttentionFeatures.end());
  const std::vector<std::string> found = fields.texts("features");
  if (found != features) throw input_error(fields.place("features"), join_names(found), join_names(features));
  const auto hidden = static_cast<std::size_t>(fields.integer("hidden", 1, kMaxHidden));
  AttentionWeights weights;
  weights.source = file;
  weights.stages = fields.integer("stages", 0, kMaxStages);
  weights.theta = fields.number("theta", -kLargest, kLargest);
  weights.bias = fields.number("bias", -kLargest, kLargest);
  weights.w = exactly(fields, "w", hidden * features.size());
  weights.a = exactly(fields, "a", 2 * hidden);
  weights.f = exactly(fields, "f", hidden);
  return weights;
}

}  // namespace harness
