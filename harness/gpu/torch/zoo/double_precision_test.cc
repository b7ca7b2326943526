// Compares networks in single and half precision with themselves in double precision, layer by layer and from
// end to end, on images and weights drawn afresh in every run.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/gpu/inputs/test_images.h"
#include "harness/gpu/torch/zoo/network.h"
#include "harness/gpu/torch/zoo/test_networks.h"
#include "harness/gpu/torch/zoo/test_runs.h"

namespace harness {
namespace {

/// The arithmetic of a network, and how far it may be off.
struct Arithmetic {
  const char* name;
  at::ScalarType type;
  bool folds;  ///< true if the batch normalisations are folded
  /// The tolerance of a layer, as a share of the largest value of its output.
  double layer_tolerance;
  /// The tolerance of a whole network, as a multiple of the error that remains if only the weights, and the
  /// outputs of the double network's layers, are rounded: later layers may enlarge the errors of earlier
  /// ones.
  double network_factor;
};

/// The tolerance of single precision. A sum of n products that rounds to 2^-24 each time is off by about
/// sqrt(n) 2^-24 of its terms' size, which is the sum's size, or less if signs are random: by 1e-5 for the
/// 25,088 terms of the widest layer. The error of a coarser format (TF32: 2^-11, bfloat16: 2^-8) is a hundred
/// times as large and more. Over a whole network (EfficientNet on small images enlarges an error up to a
/// hundred thousand times) errors within layers come to some 5 times the errors of rounding between them; if
/// they grow, to up to 60 times.
constexpr double kSingleTolerance = 1e-5;
constexpr double kSingleFactor = 500;
/// The tolerance of half precision, in roundings. Each operation's result is rounded once, by 2^-11 or 2^-8
/// of itself, if sums are kept in single precision. Layers of several operations (normalisations of tokens,
/// boxes of yolov5) come to three roundings of the largest value; no layer has eight results that follow from
/// one another.
constexpr double kRoundings = 8;
constexpr double kHalfFactor = 10;
constexpr Arithmetic kArithmetics[] = {{"fp32", at::kFloat, false, kSingleTolerance, kSingleFactor},
                                       {"folded", at::kFloat, true, kSingleTolerance, kSingleFactor},
                                       {"fp16", at::kHalf, true, kRoundings * 0x1p-11, kHalfFactor},
                                       {"bf16", at::kBFloat16, true, kRoundings * 0x1p-8, kHalfFactor}};
/// The factor for both tolerances if LibTorch has no kernel of its own for a type on this processor and
/// rounds every partial sum to it: a sum of n products is then off by about sqrt(n) roundings of half a unit,
/// which is 80 for the widest layer instead of 8 in all.
constexpr double kFactorOfRoundedSums = 10;

/// Returns one rounding of a number of that type, as a share of it.
double one_rounding(at::ScalarType type) {
  return type == at::kHalf ? 0x1p-11 : type == at::kBFloat16 ? 0x1p-8 : 0x1p-24;
}

double largest(const at::Tensor& values) {
  return values.numel() == 0 ? 0 : values.abs().max().item<double>();
}

/// Returns the largest difference as a share of the largest value.
double error_of(const at::Tensor& single, const at::Tensor& exact) {
  const at::Tensor reference = exact.to(at::kDouble);
  const double off = largest(single.to(at::kDouble) - reference);
  return off == 0 ? 0 : off / largest(reference);
}

/// Returns the input that a device would assemble from random images of the network's size.
at::Tensor random_input(RandomStream& random, const SmallRun& run) {
  const InputFormat& format = find_zoo_model(run.model)->input;
  at::Tensor input = at::empty({run.output[0], 3, run.height, run.width}, at::kDouble);
  double* value = input.data_ptr<double>();
  for (std::int64_t i = 0; i < input.numel(); ++i) {
    const auto channel = static_cast<std::size_t>(i / (run.height * run.width) % 3);
    const double pixel = static_cast<double>(random.below(256)) / 255;
    value[i] =
        (pixel - static_cast<double>(format.mean[channel])) * static_cast<double>(format.scale[channel]);
  }
  return input;
}

/// Replaces the state's numbers by the other state's, rounded to the types of this one.
void take_rounded(NetworkState& state, const NetworkState& other) {
  for (std::size_t entry = 0; entry < state.size(); ++entry)
    state[entry] = other[entry].to(state[entry].scalar_type());
}

NetworkState in_double(NetworkState state) {
  for (at::Tensor& tensor : state) {
    if (tensor.is_floating_point()) tensor = tensor.to(at::kDouble);
  }
  return state;
}

/// Compares each layer of `network` with the same layer of `exact`, which has the same weights; both get the
/// output of the exact layers before, rounded to the types of `network`. Returns the last output of `exact`.
at::Tensor expect_layers_near(const Network& network, const Network& exact, const at::Tensor& input,
                              const Arithmetic& arithmetic) {
  NetworkState found{input.to(at::kFloat)}, reference = in_double(found);
  for (std::size_t i = 0; i < exact.stages().size(); ++i) {
    const std::string& name = exact.stages()[i].name;
    network.stages()[i].run(found);
    exact.stages()[i].run(reference);
    EXPECT_EQ(found.size(), reference.size()) << name;
    // Rounded scores tie, so the choice of rcnn's best proposals is then arbitrary.
    const bool has_ties = name == "proposals" && arithmetic.type != at::kFloat;
    EXPECT_TRUE(!has_ties || found.back().scalar_type() == at::kFloat) << "half precision holds no pixels";
    for (std::size_t entry = 0; entry < found.size() && !has_ties; ++entry)
      EXPECT_LE(error_of(found[entry], reference[entry]), arithmetic.layer_tolerance) << name;
    take_rounded(found, reference);
    reference = in_double(found);
  }
  return reference.front();
}

std::shared_ptr<Network> converted_network(const char* model, std::uint64_t seed,
                                           const Arithmetic& arithmetic,
                                           std::initializer_list<at::ScalarType> types) {
  std::shared_ptr<Network> network = test_network(model, seed);
  if (arithmetic.folds) network->fold_norms();
  std::vector<at::Tensor> weights = network->parameters();
  for (const at::Tensor& buffer : network->buffers()) weights.push_back(buffer);
  for (const at::ScalarType type : types) convert_weights(weights, type);
  return network;
}

void expect_near(const SmallRun& run, std::uint64_t seed, const Arithmetic& arithmetic) {
  RandomStream random(seed, run.model);
  const at::Tensor input = random_input(random, run);
  const auto network = converted_network(run.model, seed, arithmetic, {arithmetic.type});
  const auto rounded = converted_network(run.model, seed, arithmetic, {arithmetic.type, at::kDouble});
  const std::shared_ptr<Network> exact = test_network(run.model, seed);
  exact->to(at::kDouble);
  const at::Tensor found = expect_layers_near(*network, *rounded, input, arithmetic);
  // The choice of the best proposals is not a continuous function of the scores: rcnn is compared by layers
  // alone.
  if (run.model == std::string("rcnn")) return;
  const at::Tensor reference = exact->forward(input);
  const double error = error_of(network->forward(input.to(at::kFloat)), reference);
  // This is one draw: with few outputs it may by luck come to less than a single rounding.
  const double rounding = std::max(error_of(found, reference), one_rounding(arithmetic.type));
  EXPECT_LE(error, arithmetic.network_factor * rounding);
  EXPECT_GT(error, 0) << "a network that rounds nothing was not run in this precision";
  if (std::getenv("HARNESS_SHOW_ERRORS") != nullptr)
    std::printf("%s in %s: error %.2g of the largest output, by rounding between layers %.2g\n", run.model,
                arithmetic.name, error, rounding);
}

/// Returns what this build's LibTorch cannot compute in that type on processors; empty: it can compute all.
std::string missing_operators(at::ScalarType type) {
  try {
    const at::Tensor ones = at::ones({1, 1, 1, 1}).to(type);
    at::conv2d(ones, ones);
    at::matmul(ones, ones);
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  }
  return "";
}

/// False if convolutions on this processor round partial sums to that type. The numbers are one unit above 1:
/// the sum of just three needs more digits than the type has, while the whole sum again needs few.
bool sums_in_single(at::ScalarType type) {
  constexpr std::int64_t kTerms = 4096;
  const double number = 1 + 2 * one_rounding(type);
  const at::Tensor ones = at::ones({1, kTerms, 1, 1}).to(type);
  return at::conv2d(ones, ones * number).item<double>() == static_cast<double>(kTerms) * number;
}

/// Returns the name up to its first digit or dash: networks of one family have layers of the same kinds.
std::string family_of(std::string_view model) {
  return std::string(model.substr(0, model.find_first_of("0123456789-")));
}

class DoublePrecision : public testing::TestWithParam<Arithmetic> {};

TEST_P(DoublePrecision, EveryLayerAndNetworkIsWithinRounding) {
  at::set_num_threads(1);
  const at::NoGradGuard no_gradients;
  Arithmetic arithmetic = GetParam();
  const std::string missing = missing_operators(arithmetic.type);
  if (!missing.empty()) GTEST_SKIP() << missing;
  if (!sums_in_single(arithmetic.type)) {
    arithmetic.layer_tolerance *= kFactorOfRoundedSums;
    arithmetic.network_factor *= kFactorOfRoundedSums;
  }
  const std::uint64_t seed = fresh_seed();
  std::set<std::string> families;
  for (const SmallRun& run : small_runs()) {
    // Half precision and folding change kinds of layers, and networks of one family have the same kinds.
    const bool is_plain = arithmetic.type == at::kFloat && !arithmetic.folds;
    if (!families.insert(family_of(run.model)).second && !is_plain) continue;
    SCOPED_TRACE(std::string(run.model) + " " + seed_text(seed));
    expect_near(run, seed, arithmetic);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(, DoublePrecision, testing::ValuesIn(kArithmetics),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace harness
