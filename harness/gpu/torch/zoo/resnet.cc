#include <string>

#include "harness/gpu/torch/zoo/architectures.h"

namespace harness {
namespace {

/// Closes a block, whose input is on the stack below its branch: brings the shortcut up, converts it if
/// shapes differ, and adds it.
void close_block(NetworkBuilder& network, const std::string& name, int in, int out, int stride, bool frozen) {
  network.bring(1);
  if (stride != 1 || in != out)
    network.conv_norm(name + "_shortcut", same_conv(in, out, 1, stride), {.frozen = frozen});
  network.add(name + "_add", Activation::kRelu);
}

void basic_block(NetworkBuilder& network, const std::string& name, int in, int width, int stride) {
  network.copy();
  network.conv_norm(name + "_1", same_conv(in, width, 3, stride), {.activation = Activation::kRelu});
  network.conv_norm(name + "_2", same_conv(width, width, 3), {.gain = kResidualGain});
  close_block(network, name, in, width, stride, /*frozen=*/false);
}

void bottleneck(NetworkBuilder& network, const std::string& name, int in, int width, int stride,
                bool frozen) {
  const NormShape rectified{.activation = Activation::kRelu, .frozen = frozen};
  network.copy();
  network.conv_norm(name + "_1", same_conv(in, width), rectified);
  network.conv_norm(name + "_2", same_conv(width, width, 3, stride), rectified);
  network.conv_norm(name + "_3", same_conv(width, 4 * width), {.frozen = frozen, .gain = kResidualGain});
  close_block(network, name, in, 4 * width, stride, frozen);
}

void stem(NetworkBuilder& network, bool frozen) {
  network.conv_norm("stem", same_conv(3, 64, 7, 2), {.activation = Activation::kRelu, .frozen = frozen});
  network.max_pool("stem_pool", {.kernel = 3, .stride = 2, .padding = 1});
}

void classifier(NetworkBuilder& network, int width) {
  network.adaptive_pool("pool", 1);
  network.flatten("flatten");
  network.linear("classifier", width, 1000);
}

}  // namespace

void describe_basic_resnet(NetworkBuilder& network, const FourDepths& blocks) {
  stem(network, /*frozen=*/false);
  int in = 64, width = 64;
  for (int group = 0; group < 4; ++group, width *= 2) {
    for (int block = 0; block < blocks[group]; ++block) {
      const std::string name = "layer" + std::to_string(group + 1) + "_" + std::to_string(block);
      basic_block(network, name, in, width, group > 0 && block == 0 ? 2 : 1);
      in = width;
    }
  }
  classifier(network, in);
}

void describe_resnet_body(NetworkBuilder& network, const FourDepths& blocks, bool keep_maps, bool frozen) {
  stem(network, frozen);
  int in = 64, width = 64;
  for (int group = 0; group < 4; ++group, width *= 2) {
    if (keep_maps && group > 0) network.copy();
    for (int block = 0; block < blocks[group]; ++block) {
      const std::string name = "layer" + std::to_string(group + 1) + "_" + std::to_string(block);
      bottleneck(network, name, in, width, group > 0 && block == 0 ? 2 : 1, frozen);
      in = 4 * width;
    }
  }
}

void describe_resnet(NetworkBuilder& network, const FourDepths& blocks) {
  describe_resnet_body(network, blocks, /*keep_maps=*/false, /*frozen=*/false);
  classifier(network, 2048);
}

}  // namespace harness
