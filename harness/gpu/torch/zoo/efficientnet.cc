#include <algorithm>
#include <cmath>
#include <string>

#include "harness/gpu/torch/zoo/architectures.h"

namespace harness {
namespace {

/// A row of B0's table: blocks of the same kernel and width, of which the first has the stride.
struct BlockGroup {
  int expansion, kernel, stride, in, out, blocks;
};
constexpr BlockGroup kGroups[] = {{1, 3, 1, 32, 16, 1},  {6, 3, 2, 16, 24, 2},  {6, 5, 2, 24, 40, 2},
                                  {6, 3, 2, 40, 80, 3},  {6, 5, 1, 80, 112, 3}, {6, 5, 2, 112, 192, 4},
                                  {6, 3, 1, 192, 320, 1}};

// Gains that make up for the loss of signal in SiLU, and for the shares of squeeze_and_excite, about a half.
constexpr double kSiluGain = 1.4;
constexpr double kProjectionGain = 1.5;

/// Returns the nearest multiple of 8 that is not below nine tenths of the scaled width.
int scaled_width(int channels, double width) {
  const double exact = channels * width;
  const int rounded = std::max(8, static_cast<int>(exact + 4) / 8 * 8);
  return rounded < 0.9 * exact ? rounded + 8 : rounded;
}

/// Multiplies each map of the top by a share computed from all maps' means (Hu et al., CVPR'18).
void squeeze_and_excite(NetworkBuilder& network, const std::string& name, int width, int squeezed) {
  network.copy();
  network.adaptive_pool(name + "_pool", 1);
  network.conv(name + "_squeeze", {.in = width, .out = squeezed, .bias = true});
  network.activation(name + "_squeeze_silu", Activation::kSilu);
  network.conv(name + "_expand", {.in = squeezed, .out = width, .bias = true});
  network.activation(name + "_expand_sigmoid", Activation::kSigmoid);
  network.multiply(name + "_multiply");
}

/// Adds an inverted residual block (Sandler et al., CVPR'18) with squeeze and excitation.
void block(NetworkBuilder& network, const std::string& name, const BlockGroup& shape, double epsilon) {
  const NormShape activated{.activation = Activation::kSilu, .epsilon = epsilon, .gain = kSiluGain};
  const bool residual = shape.stride == 1 && shape.in == shape.out;
  const int width = shape.in * shape.expansion;
  if (residual) network.copy();
  if (shape.expansion != 1) network.conv_norm(name + "_expand", same_conv(shape.in, width), activated);
  ConvShape depthwise = same_conv(width, width, shape.kernel, shape.stride);
  depthwise.groups = width;
  network.conv_norm(name + "_depthwise", depthwise, activated);
  squeeze_and_excite(network, name + "_se", width, std::max(1, shape.in / 4));
  network.conv_norm(name + "_project", same_conv(width, shape.out),
                    {.epsilon = epsilon, .gain = residual ? kResidualGain : kProjectionGain});
  if (residual) network.add(name + "_add");
}

}  // namespace

void describe_efficientnet(NetworkBuilder& network, double width, double depth, double norm_epsilon) {
  const NormShape activated{.activation = Activation::kSilu, .epsilon = norm_epsilon, .gain = kSiluGain};
  network.conv_norm("stem", same_conv(3, scaled_width(32, width), 3, 2), activated);
  int group_number = 0;
  for (BlockGroup group : kGroups) {
    ++group_number;
    group.in = scaled_width(group.in, width);
    group.out = scaled_width(group.out, width);
    const int blocks = static_cast<int>(std::ceil(group.blocks * depth));
    for (int i = 0; i < blocks; ++i) {
      block(network, "group" + std::to_string(group_number) + "_" + std::to_string(i), group, norm_epsilon);
      group.in = group.out;
      group.stride = 1;
    }
  }
  const int last = scaled_width(320, width);
  network.conv_norm("head", same_conv(last, 4 * last), activated);
  network.adaptive_pool("pool", 1);
  network.flatten("flatten");
  network.linear("classifier", 4 * last, 1000);
}

}  // namespace harness
