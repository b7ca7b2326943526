#include <string>

#include "harness/gpu/torch/zoo/architectures.h"

namespace harness {
namespace {

constexpr NormShape kRectifiedInception{.activation = Activation::kRelu, .epsilon = 1e-3};
constexpr PoolShape kSmoothing{.kernel = 3, .stride = 1, .padding = 1};
constexpr PoolShape kHalvingInception{.kernel = 3, .stride = 2};

void conv(NetworkBuilder& network, const std::string& name, const ConvShape& shape) {
  network.conv_norm(name, shape, kRectifiedInception);
}

/// Returns the shape of a convolution without padding.
ConvShape valid_conv(int in, int out, int kernel, int stride = 1) {
  return {.in = in, .out = out, .kernel = {kernel, kernel}, .stride = {stride, stride}};
}

/// Return the shape of a convolution with a row (1 x size) or a column (size x 1), padded to keep the map's
/// shape.
ConvShape row(int in, int out, int size) {
  return {.in = in, .out = out, .kernel = {1, size}, .padding = {0, size / 2}};
}
ConvShape column(int in, int out, int size) {
  return {.in = in, .out = out, .kernel = {size, 1}, .padding = {size / 2, 0}};
}

/// Every module below starts with its input on top and ends with the branches side by side in its place.
void module_a(NetworkBuilder& network, const std::string& name, int in, int pooled) {
  network.copy();
  conv(network, name + "_1", same_conv(in, 64));
  network.copy(1);
  conv(network, name + "_5_1", same_conv(in, 48));
  conv(network, name + "_5_2", same_conv(48, 64, 5));
  network.copy(2);
  conv(network, name + "_3_1", same_conv(in, 64));
  conv(network, name + "_3_2", same_conv(64, 96, 3));
  conv(network, name + "_3_3", same_conv(96, 96, 3));
  network.bring(3);
  network.average_pool(name + "_pool", kSmoothing);
  conv(network, name + "_pooled", same_conv(in, pooled));
  network.concat(name + "_concat", 4);
}

void module_b(NetworkBuilder& network, const std::string& name, int in) {
  network.copy();
  conv(network, name + "_3", valid_conv(in, 384, 3, 2));
  network.copy(1);
  conv(network, name + "_d_1", same_conv(in, 64));
  conv(network, name + "_d_2", same_conv(64, 96, 3));
  conv(network, name + "_d_3", valid_conv(96, 96, 3, 2));
  network.bring(2);
  network.max_pool(name + "_pool", kHalvingInception);
  network.concat(name + "_concat", 3);
}

void module_c(NetworkBuilder& network, const std::string& name, int width) {
  constexpr int kIn = 768, kOut = 192;
  network.copy();
  conv(network, name + "_1", same_conv(kIn, kOut));
  network.copy(1);
  conv(network, name + "_7_1", same_conv(kIn, width));
  conv(network, name + "_7_2", row(width, width, 7));
  conv(network, name + "_7_3", column(width, kOut, 7));
  network.copy(2);
  conv(network, name + "_d_1", same_conv(kIn, width));
  conv(network, name + "_d_2", column(width, width, 7));
  conv(network, name + "_d_3", row(width, width, 7));
  conv(network, name + "_d_4", column(width, width, 7));
  conv(network, name + "_d_5", row(width, kOut, 7));
  network.bring(3);
  network.average_pool(name + "_pool", kSmoothing);
  conv(network, name + "_pooled", same_conv(kIn, kOut));
  network.concat(name + "_concat", 4);
}

void module_d(NetworkBuilder& network, const std::string& name) {
  constexpr int kIn = 768, kWidth = 192;
  network.copy();
  conv(network, name + "_3_1", same_conv(kIn, kWidth));
  conv(network, name + "_3_2", valid_conv(kWidth, 320, 3, 2));
  network.copy(1);
  conv(network, name + "_7_1", same_conv(kIn, kWidth));
  conv(network, name + "_7_2", row(kWidth, kWidth, 7));
  conv(network, name + "_7_3", column(kWidth, kWidth, 7));
  conv(network, name + "_7_4", valid_conv(kWidth, kWidth, 3, 2));
  network.bring(2);
  network.max_pool(name + "_pool", kHalvingInception);
  network.concat(name + "_concat", 3);
}

/// Replaces the top by a row's and a column's convolution of it, side by side.
void fork(NetworkBuilder& network, const std::string& name) {
  network.copy();
  conv(network, name + "_row", row(384, 384, 3));
  network.bring(1);
  conv(network, name + "_column", column(384, 384, 3));
  network.concat(name + "_concat", 2);
}

void module_e(NetworkBuilder& network, const std::string& name, int in) {
  network.copy();
  conv(network, name + "_1", same_conv(in, 320));
  network.copy(1);
  conv(network, name + "_3_1", same_conv(in, 384));
  fork(network, name + "_3_2");
  network.copy(2);
  conv(network, name + "_d_1", same_conv(in, 448));
  conv(network, name + "_d_2", same_conv(448, 384, 3));
  fork(network, name + "_d_3");
  network.bring(3);
  network.average_pool(name + "_pool", kSmoothing);
  conv(network, name + "_pooled", same_conv(in, 192));
  network.concat(name + "_concat", 4);
}

}  // namespace

void describe_inception_v3(NetworkBuilder& network) {
  conv(network, "stem_1", valid_conv(3, 32, 3, 2));
  conv(network, "stem_2", valid_conv(32, 32, 3));
  conv(network, "stem_3", same_conv(32, 64, 3));
  network.max_pool("stem_3_pool", kHalvingInception);
  conv(network, "stem_4", same_conv(64, 80));
  conv(network, "stem_5", valid_conv(80, 192, 3));
  network.max_pool("stem_5_pool", kHalvingInception);
  module_a(network, "mixed5b", 192, 32);
  module_a(network, "mixed5c", 256, 64);
  module_a(network, "mixed5d", 288, 64);
  module_b(network, "mixed6a", 288);
  module_c(network, "mixed6b", 128);
  module_c(network, "mixed6c", 160);
  module_c(network, "mixed6d", 160);
  module_c(network, "mixed6e", 192);
  module_d(network, "mixed7a");
  module_e(network, "mixed7b", 1280);
  module_e(network, "mixed7c", 2048);
  network.adaptive_pool("pool", 1);
  network.flatten("flatten");
  network.linear("classifier", 2048, 1000);
}

}  // namespace harness
