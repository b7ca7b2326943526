#include <algorithm>
#include <string>

#include "harness/gpu/torch/zoo/architectures.h"
#include "harness/gpu/torch/zoo/tensor_layers.h"

namespace harness {
namespace {

constexpr int kRadix = 2;
constexpr NormShape kRectified{.activation = Activation::kRelu};

/// Adds a 3x3 convolution into kRadix groups of maps, summed by attention over the groups (section 3.2).
void split_attention(NetworkBuilder& network, const std::string& name, int width) {
  ConvShape splits = same_conv(width, kRadix * width, 3);
  splits.groups = kRadix;
  network.conv_norm(name, splits, kRectified);
  network.copy();
  add_split_mean(network, name + "_mean", kRadix);
  const int squeezed = std::max(width * kRadix / 4, 32);
  network.conv(name + "_squeeze", {.in = width, .out = squeezed, .bias = true});
  network.norm(name + "_squeeze_norm", {.channels = squeezed, .activation = Activation::kRelu});
  network.conv(name + "_expand", {.in = squeezed, .out = kRadix * width, .bias = true});
  add_split_sum(network, name + "_sum", kRadix);
}

void shortcut(NetworkBuilder& network, const std::string& name, int in, int out, int stride) {
  network.bring(1);
  if (stride != 1)
    network.average_pool(name + "_pool",
                         {.kernel = stride, .stride = stride, .ceil = true, .count_padding = false});
  if (stride != 1 || in != out) network.conv_norm(name, same_conv(in, out), {});
}

void block(NetworkBuilder& network, const std::string& name, int in, int width, int stride) {
  network.copy();
  network.conv_norm(name + "_1", same_conv(in, width), kRectified);
  split_attention(network, name + "_2", width);
  if (stride != 1) network.average_pool(name + "_2_pool", {.kernel = 3, .stride = stride, .padding = 1});
  network.conv_norm(name + "_3", same_conv(width, 4 * width), {.gain = kResidualGain});
  shortcut(network, name + "_shortcut", in, 4 * width, stride);
  network.add(name + "_add", Activation::kRelu);
}

}  // namespace

void describe_resnest(NetworkBuilder& network, const FourDepths& blocks, int stem_width) {
  network.conv_norm("stem_1", same_conv(3, stem_width, 3, 2), kRectified);
  network.conv_norm("stem_2", same_conv(stem_width, stem_width, 3), kRectified);
  network.conv_norm("stem_3", same_conv(stem_width, 2 * stem_width, 3), kRectified);
  network.max_pool("stem_pool", {.kernel = 3, .stride = 2, .padding = 1});
  int in = 2 * stem_width, width = 64;
  for (int group = 0; group < 4; ++group, width *= 2) {
    for (int i = 0; i < blocks[group]; ++i) {
      const std::string name = "layer" + std::to_string(group + 1) + "_" + std::to_string(i);
      block(network, name, in, width, group > 0 && i == 0 ? 2 : 1);
      in = 4 * width;
    }
  }
  network.adaptive_pool("pool", 1);
  network.flatten("flatten");
  network.linear("classifier", in, 1000);
}

}  // namespace harness
