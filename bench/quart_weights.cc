// Fits the weights of QUART's attention to simulated chains, writes their file and prints how well they and
// simpler rules predict the CV of held-out chains (systems/quart/README.md). With --check it judges a file
// instead.
//
//     quart_weights FILE [--seed N] [--stages N] [--hidden N] [--training RUNS] [--held-out RUNS]
//     quart_weights --check FILE [...]
//
// The same arguments give the same bytes. --stages: the weights are fitted only to chains of so many stages,
// and used for no others; 0, the default: for any. Exit code 2: bad arguments or a bad file, in one line.
#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <string>

#include "bench/fitted_attention.h"
#include "harness/core/input_error.h"
#include "harness/files/file_bytes.h"
#include "systems/quart/attention.h"

namespace harness {
namespace {

void check_file(const std::string& file, const FitSettings& settings) {
  const AttentionWeights weights = parse_attention_weights(file, read_file(file));
  const auto stages = static_cast<std::size_t>(settings.held_out.stages);
  if (stages != 0) Attention(chain_pipeline(stages), weights);
  const std::vector<CvSample> samples = cv_samples(simulate_chains(settings.held_out));
  std::printf("%s", error_table(cv_predictors(weights, samples), samples).c_str());
}

void fit(const std::string& file, const FitSettings& settings) {
  const FittedAttention fitted = fit_and_judge(settings);
  write_file(file, weights_text(settings, fitted));
  std::printf("%zu samples of %zu runs; error of log CV %.4f, of held-out runs %.4f\n\n%s",
              fitted.training_samples, settings.training.count, fitted.training.log_rms,
              fitted.held_out.log_rms, fitted.table.c_str());
}

int main_of(int argc, char** argv) {
  CLI::App app("Fits the weights of QUART's attention, or judges a file of them.");
  std::string file;
  bool check = false;
  int stages = 0;
  FitSettings settings;
  app.add_option("FILE", file, "the weights, TOML")->required();
  app.add_flag("--check", check, "print the errors of this file's weights on held-out runs; write nothing");
  app.add_option("--seed", settings.fit.seed, "of the simulated runs and the first weights");
  app.add_option("--stages", stages, "of all chains, 2 to 64; 0: 2 to 10")->check(CLI::Range(0, 64));
  app.add_option("--hidden", settings.fit.hidden, "components of W x")->check(CLI::Range(1, 64));
  app.add_option("--training", settings.training.count, "runs")->check(CLI::Range(1, 1000000));
  app.add_option("--held-out", settings.held_out.count, "runs")->check(CLI::Range(1, 1000000));
  try {
    app.parse(argc, argv);
    if (stages == 1) throw input_error({"", 0, "--stages"}, "1", "0, or 2 to 64");
    settings.training.seed = settings.held_out.seed = settings.fit.seed;
    settings.training.stages = settings.held_out.stages = stages;
    check ? check_file(file, settings) : fit(file, settings);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "quart_weights: %s\n", error.what());
    return dynamic_cast<const InputError*>(&error) != nullptr ? 2 : 3;
  }
  return 0;
}

}  // namespace
}  // namespace harness

int main(int argc, char** argv) { return harness::main_of(argc, argv); }
