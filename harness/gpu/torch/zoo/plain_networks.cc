#include <string>

#include "harness/gpu/torch/zoo/architectures.h"

namespace harness {
namespace {

/// Adds a layer with bias and a rectifier of its own.
void rectified_linear(NetworkBuilder& network, const std::string& name, int in, int out) {
  network.linear(name, in, out);
  network.activation(name + "_relu", Activation::kRelu);
}

void rectified_conv(NetworkBuilder& network, const std::string& name, ConvShape shape) {
  shape.bias = true;
  network.conv(name, shape);
  network.activation(name + "_relu", Activation::kRelu);
}

}  // namespace

void describe_vgg16(NetworkBuilder& network, int classes) {
  constexpr int kWidths[] = {64, 128, 256, 512, 512};
  constexpr int kLayers[] = {2, 2, 3, 3, 3};
  int in = 3;
  for (int block = 0; block < 5; ++block) {
    const std::string name = "block" + std::to_string(block + 1);
    for (int i = 0; i < kLayers[block]; ++i) {
      rectified_conv(network, name + "_" + std::to_string(i), same_conv(in, kWidths[block], 3));
      in = kWidths[block];
    }
    network.max_pool(name + "_pool", {.kernel = 2, .stride = 2});
  }
  network.adaptive_pool("pool", 7);
  network.flatten("flatten");
  rectified_linear(network, "hidden1", 512 * 7 * 7, 4096);
  rectified_linear(network, "hidden2", 4096, 4096);
  network.linear("classifier", 4096, classes);
}

void describe_lenet(NetworkBuilder& network) {
  rectified_conv(network, "conv1", {.in = 3, .out = 6, .kernel = {5, 5}});
  network.max_pool("pool1", {.kernel = 2, .stride = 2});
  rectified_conv(network, "conv2", {.in = 6, .out = 16, .kernel = {5, 5}});
  network.max_pool("pool2", {.kernel = 2, .stride = 2});
  network.flatten("flatten");
  rectified_linear(network, "hidden1", 16 * 5 * 5, 120);
  rectified_linear(network, "hidden2", 120, 84);
  network.linear("classifier", 84, 10);
}

}  // namespace harness
