// Networks in single precision against themselves in double precision, layer by layer and from end to end, on
// images and weights drawn afresh in every run.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "harness/gpu/inputs/test_images.h"
#include "harness/gpu/torch/zoo/network.h"
#include "harness/gpu/torch/zoo/test_networks.h"
#include "harness/gpu/torch/zoo/test_runs.h"

namespace harness {
namespace {

/// Of the largest value of a layer's output. A sum of n products that rounds to 2^-24 each time is off by
/// about sqrt(n) 2^-24 of its terms' size, which is that of the sum or less where signs are random: for the
/// 25,088 terms of the widest layer 1e-5. What a coarser format leaves (TF32: 2^-11, bfloat16: 2^-8) is a
/// hundred times that and more.
constexpr double kLayerTolerance = 1e-5;
/// The same over a whole network, in which later layers may make more of the errors of earlier ones
/// (EfficientNet on small images: up to a hundred thousand times as much). How much shows when the double
/// network's own layers have their outputs rounded to single precision. Errors within layers come to some 5
/// times that, where they grow to up to 60; TF32 and bfloat16 would leave thousands of times as much.
constexpr double kNetworkFactor = 500;
/// Where the last layer sees no more of the layers before than their rounding.
constexpr double kMinTolerance = 2e-6;

double largest(const at::Tensor& values) {
  return values.numel() == 0 ? 0 : values.abs().max().item<double>();
}

/// The largest difference as a share of the largest value.
double error_of(const at::Tensor& single, const at::Tensor& exact) {
  const at::Tensor reference = exact.to(at::kDouble);
  const double off = largest(single.to(at::kDouble) - reference);
  return off == 0 ? 0 : off / largest(reference);
}

NetworkState in_single(const NetworkState& state) {
  NetworkState result;
  for (const at::Tensor& tensor : state)
    result.push_back(tensor.is_floating_point() ? tensor.to(at::kFloat) : tensor);
  return result;
}

/// What a device would assemble from random images of the network's size.
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

/// The network in double precision, but for what each layer hands to the next.
at::Tensor rounded_between_layers(const Network& exact, const at::Tensor& input) {
  NetworkState state{input};
  for (const Stage& stage : exact.stages()) {
    stage.run(state);
    for (at::Tensor& tensor : state) {
      if (tensor.is_floating_point()) tensor = tensor.to(at::kFloat).to(at::kDouble);
    }
  }
  return state.front();
}

/// Each layer of `single` on what the layers of `exact` before it gave; the largest of their errors.
void expect_layers_near(const Network& single, const Network& exact, const at::Tensor& input) {
  NetworkState reference{input};
  for (std::size_t i = 0; i < exact.stages().size(); ++i) {
    const std::string& name = exact.stages()[i].name;
    NetworkState found = in_single(reference);
    single.stages()[i].run(found);
    exact.stages()[i].run(reference);
    ASSERT_EQ(found.size(), reference.size()) << name;
    for (std::size_t entry = 0; entry < found.size(); ++entry)
      ASSERT_LE(error_of(found[entry], reference[entry]), kLayerTolerance) << name;
  }
}

TEST(DoublePrecision, EveryLayerAndNetworkIsWithinRounding) {
  at::set_num_threads(1);
  const at::NoGradGuard no_gradients;
  const std::uint64_t seed = fresh_seed();
  for (const SmallRun& run : small_runs()) {
    SCOPED_TRACE(std::string(run.model) + " " + seed_text(seed));
    RandomStream random(seed, run.model);
    const at::Tensor input = random_input(random, run);
    const std::shared_ptr<Network> single = test_network(run.model, seed),
                                   exact = test_network(run.model, seed);
    exact->to(at::kDouble);
    expect_layers_near(*single, *exact, input);
    if (HasFatalFailure()) return;
    // Which proposals are the best is no continuous function of the scores: rcnn is compared by layers alone.
    if (run.model == std::string("rcnn")) continue;
    const at::Tensor reference = exact->forward(input);
    const double error = error_of(single->forward(input.to(at::kFloat)), reference);
    const double rounding = error_of(rounded_between_layers(*exact, input), reference);
    EXPECT_LE(error, kNetworkFactor * rounding + kMinTolerance);
    EXPECT_GT(error, 0) << "a single-precision network that rounds nothing was not run in single precision";
    if (std::getenv("HARNESS_SHOW_ERRORS") != nullptr)
      std::printf("%s: error %.2g of the largest output, by rounding between layers %.2g\n", run.model, error,
                  rounding);
  }
}

}  // namespace
}  // namespace harness
