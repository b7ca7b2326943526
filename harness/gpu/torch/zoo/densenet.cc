#include <string>

#include "harness/gpu/torch/zoo/architectures.h"

namespace harness {
namespace {

/// Appends `growth` maps to the top.
void dense_layer(NetworkBuilder& network, const std::string& name, int in, int growth) {
  network.copy();
  network.norm(name + "_1_norm", {.channels = in, .activation = Activation::kRelu});
  network.conv(name + "_1_conv", same_conv(in, 4 * growth));
  network.norm(name + "_2_norm", {.channels = 4 * growth, .activation = Activation::kRelu});
  network.conv(name + "_2_conv", same_conv(4 * growth, growth, 3));
  network.concat(name + "_concat", 2);
}

/// Halves maps and sides.
void transition(NetworkBuilder& network, const std::string& name, int in) {
  network.norm(name + "_norm", {.channels = in, .activation = Activation::kRelu});
  network.conv(name + "_conv", same_conv(in, in / 2));
  network.average_pool(name + "_pool", {.kernel = 2, .stride = 2});
}

}  // namespace

void describe_densenet(NetworkBuilder& network, const FourDepths& layers, int growth, int stem_width) {
  network.conv_norm("stem", same_conv(3, stem_width, 7, 2), {.activation = Activation::kRelu});
  network.max_pool("stem_pool", {.kernel = 3, .stride = 2, .padding = 1});
  int channels = stem_width;
  for (int block = 0; block < 4; ++block) {
    const std::string name = "block" + std::to_string(block + 1);
    for (int i = 0; i < layers[block]; ++i, channels += growth)
      dense_layer(network, name + "_" + std::to_string(i), channels, growth);
    if (block == 3) break;
    transition(network, name + "_transition", channels);
    channels /= 2;
  }
  network.norm("last_norm", {.channels = channels, .activation = Activation::kRelu});
  network.adaptive_pool("pool", 1);
  network.flatten("flatten");
  network.linear("classifier", channels, 1000);
}

}  // namespace harness
