#include <string>

#include "harness/gpu/torch/zoo/architectures.h"

namespace harness {
namespace {

constexpr NormShape kRectifiedGoogleNet{.activation = Activation::kRelu, .epsilon = 1e-3};
constexpr PoolShape kHalvingGoogleNet{.kernel = 3, .stride = 2, .ceil = true};

/// The widths of the four branches, as in the paper's table 1; torchvision's third has a 3x3 kernel.
struct Branches {
  int one, three_reduce, three, five_reduce, five, pool;
  int out() const { return one + three + five + pool; }
};

int inception(NetworkBuilder& network, const std::string& name, int in, const Branches& widths) {
  network.copy();
  network.conv_norm(name + "_1", same_conv(in, widths.one), kRectifiedGoogleNet);
  network.copy(1);
  network.conv_norm(name + "_2_reduce", same_conv(in, widths.three_reduce), kRectifiedGoogleNet);
  network.conv_norm(name + "_2", same_conv(widths.three_reduce, widths.three, 3), kRectifiedGoogleNet);
  network.copy(2);
  network.conv_norm(name + "_3_reduce", same_conv(in, widths.five_reduce), kRectifiedGoogleNet);
  network.conv_norm(name + "_3", same_conv(widths.five_reduce, widths.five, 3), kRectifiedGoogleNet);
  network.bring(3);
  network.max_pool(name + "_4_pool", {.kernel = 3, .stride = 1, .padding = 1, .ceil = true});
  network.conv_norm(name + "_4", same_conv(in, widths.pool), kRectifiedGoogleNet);
  network.concat(name + "_concat", 4);
  return widths.out();
}

}  // namespace

void describe_googlenet(NetworkBuilder& network) {
  network.conv_norm("stem_1", same_conv(3, 64, 7, 2), kRectifiedGoogleNet);
  network.max_pool("stem_1_pool", kHalvingGoogleNet);
  network.conv_norm("stem_2", same_conv(64, 64), kRectifiedGoogleNet);
  network.conv_norm("stem_3", same_conv(64, 192, 3), kRectifiedGoogleNet);
  network.max_pool("stem_3_pool", kHalvingGoogleNet);
  int width = inception(network, "inception3a", 192, {64, 96, 128, 16, 32, 32});
  width = inception(network, "inception3b", width, {128, 128, 192, 32, 96, 64});
  network.max_pool("inception3_pool", kHalvingGoogleNet);
  width = inception(network, "inception4a", width, {192, 96, 208, 16, 48, 64});
  width = inception(network, "inception4b", width, {160, 112, 224, 24, 64, 64});
  width = inception(network, "inception4c", width, {128, 128, 256, 24, 64, 64});
  width = inception(network, "inception4d", width, {112, 144, 288, 32, 64, 64});
  width = inception(network, "inception4e", width, {256, 160, 320, 32, 128, 128});
  network.max_pool("inception4_pool", {.kernel = 2, .stride = 2, .ceil = true});
  width = inception(network, "inception5a", width, {256, 160, 320, 32, 128, 128});
  width = inception(network, "inception5b", width, {384, 192, 384, 48, 128, 128});
  network.adaptive_pool("pool", 1);
  network.flatten("flatten");
  network.linear("classifier", width, 1000);
}

}  // namespace harness
