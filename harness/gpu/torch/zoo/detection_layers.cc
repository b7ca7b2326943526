#include <ATen/ATen.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "harness/gpu/torch/zoo/detection_functions.h"
#include "harness/gpu/torch/zoo/network.h"
#include "harness/gpu/torch/zoo/tensor_layers.h"

namespace harness {
namespace {

constexpr int kLevels = 5;
constexpr int kAnchors = 3;
constexpr std::int64_t kFirstStride = 4;  // stride of p2

/// Returns [b, anchors * values, h, w] as [b, h * w * anchors, values].
at::Tensor by_anchor(const at::Tensor& map, int values) {
  return map.view({map.size(0), kAnchors, values, map.size(2), map.size(3)})
      .permute({0, 3, 4, 1, 2})
      .reshape({map.size(0), -1, values});
}

/// Returns the values in float at least, as all values of boxes are: half precision holds neither pixels nor
/// numbers of cells. Base anchors are whole numbers that each type has.
at::Tensor exact(const at::Tensor& values) {
  return values.to(at::promote_types(values.scalar_type(), at::kFloat));
}

/// Returns the deltas of R-CNN's heads in whole units: they come in units of a tenth for centres and a fifth
/// for sizes.
at::Tensor unscaled(const at::Tensor& deltas) {
  return at::cat({deltas.narrow(-1, 0, 2) / 10, deltas.narrow(-1, 2, 2) / 5}, -1);
}

}  // namespace

void add_yolo_boxes(NetworkBuilder& network, const std::string& name) {
  // Pixels, from the yaml files of YOLOv5 v6.
  constexpr std::array<std::array<float, 6>, 3> kSizes{
      {{10, 13, 16, 30, 33, 23}, {30, 61, 62, 45, 59, 119}, {116, 90, 156, 198, 373, 326}}};
  std::vector<at::Tensor> anchors;
  for (std::size_t level = 0; level < kSizes.size(); ++level) {
    at::Tensor sizes = at::empty({3, 2});
    for (int i = 0; i < 6; ++i) sizes[i / 2][i % 2] = kSizes[level][static_cast<std::size_t>(i)];
    anchors.push_back(network.constant(name + "_anchors" + std::to_string(level), sizes));
  }
  network.stage(name, 3, [anchors](const NetworkState& maps) {
    NetworkState boxes;
    for (std::size_t level = 0; level < maps.size(); ++level)
      boxes.push_back(yolo_boxes(maps[level], anchors[level], 8 << level));
    return NetworkState{at::cat(boxes, 1)};
  });
}

void add_enlarged(NetworkBuilder& network, const std::string& name) {
  network.stage(name, 2, [](const NetworkState& maps) {
    const at::Tensor high = at::upsample_nearest2d(maps[1], maps[0].sizes().slice(2));
    return NetworkState{at::add(maps[0], high)};
  });
}

void add_proposal_scores(NetworkBuilder& network, const std::string& name, int width) {
  const auto weight = [&](const std::string& part, int out, int kernel) {
    const WeightRange range = range_of_variance(1.0 / (width * kernel * kernel));
    return network.parameter(name + part + "_weight", {out, width, kernel, kernel}, range);
  };
  const auto bias = [&](const std::string& part, int out) {
    return network.parameter(name + part + "_bias", {out}, {0, 0.1F});
  };
  const at::Tensor conv = weight("_conv", width, 3), conv_bias = bias("_conv", width);
  const at::Tensor score = weight("_score", kAnchors, 1), score_bias = bias("_score", kAnchors);
  const at::Tensor delta = weight("_delta", 4 * kAnchors, 1), delta_bias = bias("_delta", 4 * kAnchors);
  for (int level = 0; level < kLevels; ++level) {
    // The lower maps are below the level's map; above it are the higher maps and two tensors for each level
    // that is done.
    network.copy(kLevels - 1 - level + 2 * level);
    network.stage(name + std::to_string(level), 1, [=](const NetworkState& map) {
      const std::array<std::int64_t, 2> one{1, 1};
      const at::Tensor x =
          at::relu(at::conv2d(map[0], conv, conv_bias, at::IntArrayRef(one), at::IntArrayRef(one)));
      return NetworkState{by_anchor(at::conv2d(x, score, score_bias), 1).squeeze(-1),
                          by_anchor(at::conv2d(x, delta, delta_bias), 4)};
    });
  }
}

void add_proposals(NetworkBuilder& network, const std::string& name, int count) {
  std::vector<at::Tensor> bases;
  for (int level = 0; level < kLevels; ++level)
    bases.push_back(network.constant(name + "_anchors" + std::to_string(level), base_anchors(32 << level)));
  network.stage(name, 3 * kLevels, [=](const NetworkState& all) {
    const std::int64_t height = kFirstStride * all[0].size(2), width = kFirstStride * all[0].size(3);
    NetworkState scores, deltas, anchors;
    for (std::size_t level = 0; level < kLevels; ++level) {
      const std::int64_t rows = all[level].size(2), columns = all[level].size(3);
      anchors.push_back(grid_anchors(exact(bases[level]), rows, columns, static_cast<double>(height / rows),
                                     static_cast<double>(width / columns)));
      scores.push_back(all[kLevels + 2 * level]);
      deltas.push_back(all[kLevels + 2 * level + 1]);
    }
    const at::Tensor best = std::get<1>(at::topk(at::cat(scores, 1), count, 1));
    const at::Tensor kept_deltas = at::gather(at::cat(deltas, 1), 1, best.unsqueeze(-1).expand({-1, -1, 4}));
    const at::Tensor kept_anchors =
        at::index_select(at::cat(anchors, 0), 0, best.view({-1})).view_as(kept_deltas);
    const at::Tensor boxes = clipped_boxes(moved_boxes(kept_anchors, exact(kept_deltas)), height, width);
    return NetworkState{all[0], all[1], all[2], all[3], boxes};
  });
}

void add_region_pooling(NetworkBuilder& network, const std::string& name) {
  network.stage(name, kLevels, [](const NetworkState& all) {
    const std::vector<at::Tensor> levels(all.begin(), all.end() - 1);
    const at::Tensor& boxes = all.back();
    const auto height = static_cast<double>(kFirstStride * levels[0].size(2));
    const auto width = static_cast<double>(kFirstStride * levels[0].size(3));
    return NetworkState{relative_boxes(boxes, height, width), at::flatten(pooled_regions(levels, boxes), 1)};
  });
}

void add_detections(NetworkBuilder& network, const std::string& name, int classes) {
  network.stage(name, 3, [=](const NetworkState& all) {
    const std::int64_t batch = all[0].size(0), count = all[0].size(1);
    const at::Tensor scores = at::softmax(all[1], -1).view({batch, count, classes});
    const at::Tensor deltas = unscaled(exact(all[2]).view({batch, count, classes, 4}));
    const at::Tensor proposals = all[0].unsqueeze(2).expand({batch, count, classes, 4});
    const at::Tensor boxes = clipped_boxes(moved_boxes(proposals, deltas), 1, 1);
    return NetworkState{at::cat({scores, at::flatten(boxes, 2)}, -1)};
  });
}

}  // namespace harness
