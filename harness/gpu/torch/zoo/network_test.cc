#include "harness/gpu/torch/zoo/network.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/random_stream.h"
#include "harness/gpu/torch/zoo/network_builder.h"
#include "harness/gpu/torch/zoo/test_networks.h"
#include "harness/gpu/torch/zoo/test_tensors.h"

namespace harness {
namespace {

/// Returns the weights of one dimension or more, by name.
std::map<std::string, at::Tensor> weights_of(const Network& network) {
  std::map<std::string, at::Tensor> weights;
  for (const auto& item : network.named_parameters()) weights[item.key()] = item.value();
  for (const auto& item : network.named_buffers()) weights[item.key()] = item.value();
  return weights;
}

/// Computes a naive convolution with bias and rectifier, without padding.
at::Tensor rectified_conv(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  const std::int64_t side = x.size(1) - weight.size(2) + 1;
  at::Tensor out = at::empty({weight.size(0), side, side}, at::kDouble);
  const auto in = x.accessor<double, 3>();
  const auto w = weight.accessor<double, 4>();
  auto result = out.accessor<double, 3>();
  for (std::int64_t o = 0; o < weight.size(0); ++o)
    for (std::int64_t y = 0; y < side; ++y)
      for (std::int64_t z = 0; z < side; ++z) {
        double sum = value(bias[o]);
        for (std::int64_t c = 0; c < weight.size(1); ++c)
          for (std::int64_t i = 0; i < weight.size(2); ++i)
            for (std::int64_t j = 0; j < weight.size(3); ++j) sum += in[c][y + i][z + j] * w[o][c][i][j];
        result[o][y][z] = std::max(sum, 0.0);
      }
  return out;
}

at::Tensor halved(const at::Tensor& x) {
  at::Tensor out = at::empty({x.size(0), x.size(1) / 2, x.size(2) / 2}, at::kDouble);
  const auto in = x.accessor<double, 3>();
  auto result = out.accessor<double, 3>();
  for (std::int64_t c = 0; c < out.size(0); ++c)
    for (std::int64_t y = 0; y < out.size(1); ++y)
      for (std::int64_t z = 0; z < out.size(2); ++z)
        result[c][y][z] = std::max(std::max(in[c][2 * y][2 * z], in[c][2 * y][2 * z + 1]),
                                   std::max(in[c][2 * y + 1][2 * z], in[c][2 * y + 1][2 * z + 1]));
  return out;
}

std::vector<double> dense(const std::vector<double>& x, const at::Tensor& weight, const at::Tensor& bias,
                          bool rectify) {
  std::vector<double> out;
  const auto w = weight.accessor<double, 2>();
  for (std::int64_t o = 0; o < weight.size(0); ++o) {
    double sum = value(bias[o]);
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * w[o][static_cast<std::int64_t>(i)];
    out.push_back(rectify ? std::max(sum, 0.0) : sum);
  }
  return out;
}

// Also shows that stages follow their network when it changes type, as they do when it moves to a GPU.
TEST(Network, LenetIsItsTextbookFormulaInDoublePrecision) {
  const std::shared_ptr<Network> network = test_network("lenet", 5);
  const at::Tensor images = random_tensor({2, 3, 32, 32}, 11);
  const at::Tensor single = network->forward(images.to(at::kFloat));
  network->to(at::kDouble);
  const at::Tensor exact = network->forward(images);
  auto w = weights_of(*network);
  for (std::int64_t b = 0; b < 2; ++b) {
    at::Tensor x = halved(rectified_conv(images[b], w.at("conv1_weight"), w.at("conv1_bias")));
    x = halved(rectified_conv(x, w.at("conv2_weight"), w.at("conv2_bias"))).contiguous();
    std::vector<double> values(x.data_ptr<double>(), x.data_ptr<double>() + x.numel());
    values = dense(values, w.at("hidden1_weight"), w.at("hidden1_bias"), true);
    values = dense(values, w.at("hidden2_weight"), w.at("hidden2_bias"), true);
    values = dense(values, w.at("classifier_weight"), w.at("classifier_bias"), false);
    for (std::int64_t i = 0; i < 10; ++i) {
      EXPECT_NEAR(value(exact[b][i]), values[static_cast<std::size_t>(i)], 1e-10);
      EXPECT_NEAR(single[b][i].item<float>(), values[static_cast<std::size_t>(i)], 1e-4);
    }
  }
}

TEST(Network, NormalisesByStoredStatistics) {
  NetworkBuilder builder("norms");
  builder.norm("norm", {.channels = 3, .activation = Activation::kRelu, .epsilon = 0.01});
  const std::shared_ptr<Network> network = builder.finish();
  network->fill_weights(3);
  network->to(at::kDouble);
  auto w = weights_of(*network);
  const at::Tensor x = random_tensor({2, 3, 2, 2}, 4), y = network->forward(x);
  for (std::int64_t c = 0; c < 3; ++c) {
    const auto of = [&](const char* what) { return value(w.at(std::string("norm_") + what)[c]); };
    const double scale = of("weight") / std::sqrt(of("variance") + 0.01);
    const at::Tensor expected = at::relu((x.select(1, c) - of("mean")) * scale + of("bias"));
    EXPECT_TRUE(at::allclose(y.select(1, c), expected, 0, 1e-12));
  }
  EXPECT_EQ(network->parameter_count(), 6);
}

/// Makes a network of layers in an order that the seed draws, so that normalisations follow all kinds of
/// others.
std::shared_ptr<Network> drawn_network(std::uint64_t seed) {
  constexpr int kLayers = 12, kChannels = 4;
  RandomStream random(seed, "layers");
  NetworkBuilder builder("drawn");
  int copies = 0;
  for (int i = 0; i < kLayers; ++i) {
    const std::string name = "layer" + std::to_string(i);
    const std::uint64_t kind = random.below(5);
    if (kind == 0) builder.activation(name, Activation::kTanh);
    if (kind == 1) builder.conv(name, {.in = kChannels, .out = kChannels, .bias = random.below(2) == 0});
    if (kind == 2) builder.norm(name, {.channels = kChannels, .activation = Activation(random.below(7))});
    if (kind == 3)
      builder.conv_norm(name, same_conv(kChannels, kChannels, 3), {.activation = Activation::kRelu});
    if (kind != 4) continue;
    builder.copy();
    ++copies;
  }
  for (int i = 0; i <= copies; ++i) {
    if (i == copies) builder.copy();
    builder.add("sum" + std::to_string(i));
  }
  std::shared_ptr<Network> network = builder.finish();
  network->fill_weights(seed);
  return network;
}

TEST(Network, FoldedNormsComputeTheSame) {
  int folded_networks = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const std::shared_ptr<Network> network = drawn_network(seed);
    network->to(at::kDouble);
    const at::Tensor images = random_tensor({2, 4, 5, 5}, seed);
    const at::Tensor plain = network->forward(images);
    const std::int64_t parameters = network->parameter_count();
    network->fold_norms();
    const at::Tensor folded = network->forward(images);
    EXPECT_TRUE(at::allclose(folded, plain, 1e-10, 1e-12)) << seed;
    EXPECT_EQ(network->parameter_count(), parameters);
    if (!at::equal(folded, plain)) ++folded_networks;
  }
  EXPECT_GT(folded_networks, 50);
}

TEST(Network, MovesArrangeTheStack) {
  NetworkBuilder builder("moves");
  builder.layer("ten", [](const at::Tensor& x) { return x * 10; });  // 10
  builder.copy();
  builder.layer("two", [](const at::Tensor& x) { return x * 2; });  // 10 20
  builder.copy(1);
  builder.layer("three", [](const at::Tensor& x) { return x * 3; });  // 10 20 30
  builder.bring(2);
  builder.layer("four", [](const at::Tensor& x) { return x * 4; });  // 20 30 40
  builder.concat("all", 3);
  const at::Tensor out = builder.finish()->forward(at::ones({1, 1}));
  ASSERT_EQ(out.sizes(), at::IntArrayRef({1, 3}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(out[0][i].item<float>(), 20 + 10 * i);
}

TEST(Network, EqualSeedsGiveEqualWeights) {
  const auto one = weights_of(*test_network("efficientnet-b0", 1)),
             same = weights_of(*test_network("efficientnet-b0", 1));
  const auto other = weights_of(*test_network("efficientnet-b0", 2));
  ASSERT_GT(one.size(), 200U);
  for (const auto& [name, values] : one) {
    EXPECT_TRUE(at::equal(values, same.at(name))) << name;
    EXPECT_FALSE(at::equal(values, other.at(name))) << name;
  }
}

struct SmallInput {
  const char* model;
  std::int64_t height, width;
};

/// One network of each family, on the smallest images that it takes.
constexpr SmallInput kSmallInputs[] = {
    {"resnet18", 32, 32},  {"resnet50", 32, 32},     {"resnest50", 32, 32},       {"densenet121", 32, 32},
    {"googlenet", 32, 32}, {"inception_v3", 75, 75}, {"efficientnet-b0", 32, 32}, {"yolov5n", 64, 64},
    {"lenet", 32, 32},     {"bert", 2, 4},           {"clip-vit-b32", 224, 224},  {"rcnn", 64, 64}};

/// Returns copies in memory of their own.
NetworkState copied(const NetworkState& state) {
  NetworkState copies;
  for (const at::Tensor& tensor : state) copies.push_back(tensor.clone());
  return copies;
}

bool equal(const NetworkState& one, const NetworkState& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const at::Tensor& a, const at::Tensor& b) { return at::equal(a, b); });
}

void expect_stoppable(const SmallInput& run, bool folds) {
  const std::shared_ptr<Network> network = test_network(run.model);
  if (folds) network->fold_norms();
  at::manual_seed(6);
  const at::Tensor first = at::rand({1, 3, run.height, run.width}) * 200,
                   second = at::rand({2, 3, run.height, run.width}) * 50;
  NetworkState one{first}, two{second};
  for (const Network::Stage& stage : network->stages()) {
    const NetworkState taken = one, before = copied(one);
    stage.run(one);
    EXPECT_TRUE(equal(taken, before)) << run.model << ' ' << stage.name;
    stage.run(two);
    one = copied(one);
    two = copied(two);
  }
  ASSERT_EQ(one.size(), 1U) << run.model;
  EXPECT_TRUE(at::equal(one[0], network->forward(first))) << run.model;
  EXPECT_TRUE(at::equal(two[0], network->forward(second))) << run.model;
}

// Two batches stop at every exit point and take turns there, and all that they keep is copied away: nothing
// else may carry over from stage to stage. A stage must also not write into the tensors that it takes, which
// other entries may share.
TEST(Network, StoppingAtExitPointsLeavesTheOutputAsItIs) {
  at::set_num_threads(1);
  for (const SmallInput& run : kSmallInputs) {
    expect_stoppable(run, false);
    expect_stoppable(run, true);
  }
}

}  // namespace
}  // namespace harness
