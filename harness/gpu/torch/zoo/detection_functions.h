// The arithmetic of detectors. Shapes of results depend only on shapes of inputs, so all of it fits into a
// CUDA graph.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace harness {

/// Converts a map of YOLOv5's head [b, anchors * 85, h, w] to boxes [b, anchors * h * w, 85] in pixels:
/// centre, size, objectness, class probabilities. `anchors` is [anchors, 2]: width and height in pixels.
at::Tensor yolo_boxes(const at::Tensor& map, const at::Tensor& anchors, int stride);

/// Returns the anchors of one level of a feature pyramid as torchvision makes them: three boxes x1, y1, x2,
/// y2 around the origin, of `size` squared pixels and height:width 1:2, 1:1, 2:1, rounded; [3, 4].
at::Tensor base_anchors(int size);

/// Returns base [a, 4] moved to each place of a map of h x w whose cells are `stride_y` x `stride_x` pixels;
/// [h * w * a, 4], place by place.
at::Tensor grid_anchors(const at::Tensor& base, std::int64_t height, std::int64_t width, double stride_y,
                        double stride_x);

/// Returns boxes [.., 4] moved by deltas [.., 4] (Girshick et al., CVPR'14, appendix C): the centre by dx, dy
/// of the size, the size by exp(dw), exp(dh), at most 62.5 times.
at::Tensor moved_boxes(const at::Tensor& boxes, const at::Tensor& deltas);

/// Returns the boxes cut at the image's edges.
at::Tensor clipped_boxes(const at::Tensor& boxes, std::int64_t height, std::int64_t width);

/// Returns boxes in pixels as shares of the image's sides.
at::Tensor relative_boxes(const at::Tensor& boxes, double height, double width);

/// Computes RoIAlign over a feature pyramid (He et al., ICCV'17; Lin et al., CVPR'17, equation 1): each of
/// the boxes [b, n, 4] (pixels) is cut into 7 x 7 bins; a bin is the mean of 2 x 2 bilinear samples of the
/// level that the box's size selects (224 pixels: the third). `levels` are [b, c, h, w] at strides 4, 8, 16,
/// ..; the result is [b * n, c, 7, 7].
at::Tensor pooled_regions(const std::vector<at::Tensor>& levels, const at::Tensor& boxes);

}  // namespace harness
