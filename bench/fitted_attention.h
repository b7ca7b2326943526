// The file of QUART's attention: its weights, and their origin.
#pragma once

#include <string>
#include <string_view>

#include "bench/chain_runs.h"
#include "bench/cv_error.h"
#include "bench/fit_attention.h"

namespace harness {

/// A fit: weights, and how well they predict.
struct FittedAttention {
  AttentionWeights weights;
  std::size_t training_samples = 0;
  CvError training;
  CvError held_out;
  std::string table;  ///< error_table() of the held-out samples
};

/// The settings of a fit: all that the command needs to make the same file again.
struct FitSettings {
  ChainRuns training = {.seed = 1, .name = "training", .count = 1000, .stages = 0, .requests = 2000};
  ChainRuns held_out = {.seed = 1, .name = "held_out", .count = 500, .stages = 0, .requests = 2000};
  FitOptions fit;
};

/// Simulates the chains, fits the weights and judges them.
FittedAttention fit_and_judge(const FitSettings& settings);

/// Returns the TOML file: the same fit gives the same bytes.
std::string weights_text(const FitSettings& settings, const FittedAttention& fitted);

/// Returns the weights of a file with these bytes; `file` is for messages. Throws InputError.
AttentionWeights parse_attention_weights(const std::string& file, std::string_view bytes);

}  // namespace harness
