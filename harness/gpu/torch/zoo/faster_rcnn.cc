#include <string>

#include "harness/gpu/torch/zoo/architectures.h"
#include "harness/gpu/torch/zoo/tensor_layers.h"

namespace harness {
namespace {

constexpr int kPyramidWidth = 256;

/// Adds a convolution with bias, as all convolutions of the pyramid are.
void pyramid_conv(NetworkBuilder& network, const std::string& name, int in, int kernel) {
  ConvShape shape = same_conv(in, kPyramidWidth, kernel);
  shape.bias = true;
  network.conv(name, shape);
}

/// The maps c2 .. c5 become p2 .. p6 (Lin et al., section 3), p6 on top.
void pyramid(NetworkBuilder& network) {
  pyramid_conv(network, "lateral5", 2048, 1);
  network.copy();
  pyramid_conv(network, "out5", kPyramidWidth, 3);
  for (int level = 4; level >= 2; --level) {
    const std::string number = std::to_string(level);
    // The merged map and the output of the level above are on top; below them are the outputs further up.
    network.bring(6 - level);
    pyramid_conv(network, "lateral" + number, 64 << level, 1);
    network.bring(2);
    add_enlarged(network, "enlarged" + number);
    if (level > 2) network.copy();
    pyramid_conv(network, "out" + number, kPyramidWidth, 3);
  }
  // This turns p5, p4, p3, p2 round.
  for (int depth = 1; depth <= 3; ++depth) network.bring(depth);
  network.copy();
  network.max_pool("out6", {.kernel = 1, .stride = 2});
}

}  // namespace

void describe_faster_rcnn(NetworkBuilder& network, int proposals) {
  constexpr int kClasses = 91, kHidden = 1024;
  describe_resnet_body(network, {3, 4, 6, 3}, /*keep_maps=*/true, /*frozen=*/true);
  pyramid(network);
  add_proposal_scores(network, "proposal_scores", kPyramidWidth);
  add_proposals(network, "proposals", proposals);
  add_region_pooling(network, "regions");
  network.linear("hidden1", kPyramidWidth * 7 * 7, kHidden);
  network.activation("hidden1_relu", Activation::kRelu);
  network.linear("hidden2", kHidden, kHidden);
  network.activation("hidden2_relu", Activation::kRelu);
  network.copy();
  network.linear("class_logits", kHidden, kClasses);
  network.bring(1);
  network.linear("box_deltas", kHidden, 4 * kClasses);
  add_detections(network, "detections", kClasses);
}

}  // namespace harness
