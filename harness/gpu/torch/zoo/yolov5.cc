#include <algorithm>
#include <cmath>
#include <string>

#include "harness/gpu/torch/zoo/architectures.h"
#include "harness/gpu/torch/zoo/tensor_layers.h"

namespace harness {
namespace {

/// Appends parts of a YOLOv5 whose widths and depths are scaled from the large one's, as in its yolov5*.yaml.
class Scaled {
 public:
  Scaled(NetworkBuilder& network, double depth, double width)
      : network_(network), depth_(depth), width_(width) {}

  /// Returns the scaled width, rounded up to a multiple of 8.
  int channels(int of_large) const { return static_cast<int>(std::ceil(of_large * width_ / 8)) * 8; }

  /// Adds a convolution that ends with `out` maps (already scaled).
  void conv(const std::string& name, int in, int out, int kernel, int stride = 1) {
    conv_silu(name, same_conv(in, out, kernel, stride));
  }

  void stem(const std::string& name, int out) {
    conv_silu(name, {.in = 3, .out = out, .kernel = {6, 6}, .stride = {2, 2}, .padding = {2, 2}});
  }

  /// Adds a cross-stage partial block with three convolutions around bottlenecks.
  void c3(const std::string& name, int in, int out, int blocks_of_large, bool shortcut) {
    const int half = out / 2;
    const int blocks = std::max(1, static_cast<int>(std::nearbyint(blocks_of_large * depth_)));
    network_.copy();
    conv(name + "_1", in, half, 1);
    for (int i = 0; i < blocks; ++i) {
      const std::string part = name + "_block" + std::to_string(i);
      if (shortcut) network_.copy();
      conv(part + "_1", half, half, 1);
      conv(part + "_2", half, half, 3);
      if (shortcut) network_.add(part + "_add");
    }
    network_.bring(1);
    conv(name + "_2", in, half, 1);
    network_.concat(name + "_concat", 2);
    conv(name + "_3", 2 * half, out, 1);
  }

  /// Adds spatial pyramid pooling by three poolings of 5 x 5, one after another.
  void pyramid_pool(const std::string& name, int width) {
    conv(name + "_1", width, width / 2, 1);
    for (int i = 0; i < 3; ++i) {
      network_.copy();
      network_.max_pool(name + "_pool" + std::to_string(i), {.kernel = 5, .stride = 1, .padding = 2});
    }
    network_.concat(name + "_concat", 4);
    conv(name + "_2", 2 * width, width, 1);
  }

 private:
  void conv_silu(const std::string& name, ConvShape shape) {
    shape.bias = true;
    network_.conv(name, shape);
    network_.activation(name + "_silu", Activation::kSilu);
  }

  NetworkBuilder& network_;
  double depth_;
  double width_;
};

/// Adds the backbone, which leaves the maps at strides 8, 16, 32.
void backbone(NetworkBuilder& network, Scaled& scaled) {
  const int w64 = scaled.channels(64), w128 = scaled.channels(128), w256 = scaled.channels(256);
  const int w512 = scaled.channels(512), w1024 = scaled.channels(1024);
  scaled.stem("down1", w64);
  scaled.conv("down2", w64, w128, 3, 2);
  scaled.c3("c3_2", w128, w128, 3, true);
  scaled.conv("down3", w128, w256, 3, 2);
  scaled.c3("c3_3", w256, w256, 6, true);
  network.copy();
  scaled.conv("down4", w256, w512, 3, 2);
  scaled.c3("c3_4", w512, w512, 9, true);
  network.copy();
  scaled.conv("down5", w512, w1024, 3, 2);
  scaled.c3("c3_5", w1024, w1024, 3, true);
  scaled.pyramid_pool("sppf", w1024);
}

/// Adds the neck to these maps, down the pyramid and up again: ends with three maps of 256, 512, 1024,
/// scaled.
void neck(NetworkBuilder& network, Scaled& scaled) {
  const int w256 = scaled.channels(256), w512 = scaled.channels(512), w1024 = scaled.channels(1024);
  scaled.conv("lateral5", w1024, w512, 1);
  network.copy();
  network.upsample("up5");
  network.bring(2);
  network.concat("concat4", 2);
  scaled.c3("top4", 2 * w512, w512, 3, false);
  scaled.conv("lateral4", w512, w256, 1);
  network.copy();
  network.upsample("up4");
  network.bring(3);
  network.concat("concat3", 2);
  scaled.c3("out3", 2 * w256, w256, 3, false);
  // The stack is now lateral5, lateral4, out3.
  network.copy();
  scaled.conv("down_3", w256, w256, 3, 2);
  network.bring(2);
  network.concat("concat_4", 2);
  scaled.c3("out4", 2 * w256, w512, 3, false);
  // The stack is now lateral5, out3, out4.
  network.copy();
  scaled.conv("down_4", w512, w512, 3, 2);
  network.bring(3);
  network.concat("concat_5", 2);
  scaled.c3("out5", 2 * w512, w1024, 3, false);
}

}  // namespace

void describe_yolov5(NetworkBuilder& network, double depth, double width) {
  constexpr int kOutputs = 3 * 85;
  Scaled scaled(network, depth, width);
  backbone(network, scaled);
  neck(network, scaled);
  const int widths[] = {scaled.channels(256), scaled.channels(512), scaled.channels(1024)};
  // Each time the lowest of the three maps comes to the top, so they end in order.
  for (int level = 0; level < 3; ++level) {
    network.bring(2);
    network.conv("detect" + std::to_string(level), {.in = widths[level], .out = kOutputs, .bias = true});
  }
  add_yolo_boxes(network, "boxes");
}

}  // namespace harness
