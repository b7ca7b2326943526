#include "harness/gpu/torch/zoo/detection_functions.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "harness/gpu/torch/zoo/test_tensors.h"

namespace harness {
namespace {

at::Tensor box(double x1, double y1, double x2, double y2) {
  at::Tensor corners = at::empty({4}, at::kDouble);
  const double numbers[] = {x1, y1, x2, y2};
  for (int i = 0; i < 4; ++i) corners[i] = numbers[i];
  return corners;
}

/// Returns a pyramid at strides 4, 8, 16, 32 of an image of 256 x 256, whose value at pixel (x, y) is linear:
/// (100 level + 10 channel + image) + 0.5 x - 0.25 y; the pixel is a cell's index times its stride.
std::vector<at::Tensor> linear_pyramid(std::int64_t images, std::int64_t channels) {
  std::vector<at::Tensor> levels;
  for (int level = 0; level < 4; ++level) {
    const int stride = 4 << level, side = 256 / stride;
    at::Tensor map = at::empty({images, channels, side, side}, at::kDouble);
    auto cells = map.accessor<double, 4>();
    for (std::int64_t b = 0; b < images; ++b)
      for (std::int64_t c = 0; c < channels; ++c)
        for (int y = 0; y < side; ++y)
          for (int x = 0; x < side; ++x)
            cells[b][c][y][x] =
                static_cast<double>(100 * level + 10 * c + b) + 0.5 * x * stride - 0.25 * y * stride;
    levels.push_back(map);
  }
  return levels;
}

// Bilinear interpolation is exact on linear maps, and a bin's samples lie evenly around its middle: the
// pooled value is the map's at the bin's middle.
TEST(DetectionFunctions, RegionsOfLinearMapsAreTheirBinsMiddles) {
  const std::vector<at::Tensor> levels = linear_pyramid(2, 3);
  // Equation 1 of Lin et al.: level floor(4 + log2(side / 224)), from 2 to 5.
  const double boxes[2][2][4] = {{{10, 20, 66, 62}, {3.5, 7.25, 153.5, 137.25}},
                                 {{8, 16, 208, 216}, {0, 0, 120, 112}}};
  const int expected_level[2][2] = {{0, 1}, {1, 1}};
  at::Tensor all = at::empty({2, 2, 4}, at::kDouble);
  for (int b = 0; b < 2; ++b)
    for (int n = 0; n < 2; ++n)
      all[b][n] = box(boxes[b][n][0], boxes[b][n][1], boxes[b][n][2], boxes[b][n][3]);
  const at::Tensor pooled = pooled_regions(levels, all);
  ASSERT_EQ(pooled.sizes(), at::IntArrayRef({4, 3, 7, 7}));
  for (int b = 0; b < 2; ++b)
    for (int n = 0; n < 2; ++n)
      for (int c = 0; c < 3; ++c)
        for (int row = 0; row < 7; ++row)
          for (int column = 0; column < 7; ++column) {
            const double* corners = boxes[b][n];
            const double x = corners[0] + (column + 0.5) / 7 * (corners[2] - corners[0]);
            const double y = corners[1] + (row + 0.5) / 7 * (corners[3] - corners[1]);
            const double expected = 100 * expected_level[b][n] + 10 * c + b + 0.5 * x - 0.25 * y;
            EXPECT_NEAR(value(pooled[2 * b + n][c][row][column]), expected, 1e-9);
          }
}

TEST(DetectionFunctions, LevelsFollowTheBoxesSize) {
  std::vector<at::Tensor> levels;
  for (int level = 0; level < 4; ++level) {
    const int side = 512 >> (2 + level);
    levels.push_back(at::full({1, 1, side, side}, static_cast<double>(level), at::kDouble));
  }
  // Sides just below and at 112, 224, 448; the smallest and the largest stay within the pyramid.
  const double sides[] = {1, 111, 112, 223, 224, 447, 448, 512};
  const double expected[] = {0, 0, 1, 1, 2, 2, 3, 3};
  at::Tensor boxes = at::empty({1, 8, 4}, at::kDouble);
  for (int i = 0; i < 8; ++i) boxes[0][i] = box(0, 0, sides[i], sides[i]);
  const at::Tensor pooled = pooled_regions(levels, boxes);
  for (int i = 0; i < 8; ++i) EXPECT_NEAR(value(pooled[i].mean()), expected[i], 1e-12) << sides[i];
}

TEST(DetectionFunctions, BoxesMoveByDeltas) {
  const at::Tensor from = box(10, 20, 30, 60);
  EXPECT_TRUE(at::allclose(moved_boxes(from, at::zeros({4}, at::kDouble)), from, 0, 1e-12));
  // Centre (20, 40) moves by a quarter of 20 and an eighth of 40; width doubles, height halves.
  const at::Tensor moved = moved_boxes(from, box(0.25, 0.125, std::log(2.0), -std::log(2.0)));
  EXPECT_TRUE(at::allclose(moved, box(5, 35, 45, 55), 0, 1e-9));
  const at::Tensor large = moved_boxes(from, box(0, 0, 100, 0));
  EXPECT_NEAR(value(large[2]) - value(large[0]), 62.5 * 20, 1e-9);
  EXPECT_TRUE(at::equal(clipped_boxes(box(-3, 5, 130, 90), 80, 120), box(0, 5, 120, 80)));
  EXPECT_TRUE(at::allclose(relative_boxes(box(12, 20, 60, 80), 80, 120), box(0.1, 0.25, 0.5, 1), 0, 1e-12));
}

TEST(DetectionFunctions, AnchorsAreThoseOfTorchvision) {
  // 32 / sqrt(2) = 22.63, 32 sqrt(2) = 45.25; halves of them, and of 32, rounded.
  const at::Tensor base = base_anchors(32);
  const double expected[3][4] = {{-23, -11, 23, 11}, {-16, -16, 16, 16}, {-11, -23, 11, 23}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 4; ++j) EXPECT_EQ(base[i][j].item<float>(), expected[i][j]);
  const at::Tensor grid = grid_anchors(base, 2, 3, 8, 4);
  ASSERT_EQ(grid.sizes(), at::IntArrayRef({18, 4}));
  // Row 1, column 2, the square anchor.
  const double square[] = {2 * 4 - 16, 8 - 16, 2 * 4 + 16, 8 + 16};
  for (int j = 0; j < 4; ++j) EXPECT_EQ(grid[(1 * 3 + 2) * 3 + 1][j].item<float>(), square[j]);
}

TEST(DetectionFunctions, YoloBoxesAreDecodedCellByCell) {
  const at::Tensor map = random_tensor({2, 3 * 85, 4, 5}, 5);
  at::Tensor anchors = at::empty({3, 2}, at::kDouble);
  for (int i = 0; i < 6; ++i) anchors[i / 2][i % 2] = 10.0 + 7 * i;
  const at::Tensor boxes = yolo_boxes(map, anchors, 16);
  ASSERT_EQ(boxes.sizes(), at::IntArrayRef({2, 3 * 4 * 5, 85}));
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  for (const auto& place : {std::array{0, 0, 0, 0}, std::array{1, 2, 3, 4}, std::array{1, 1, 2, 0}}) {
    const int b = place[0], a = place[1], y = place[2], x = place[3];
    const auto raw = [&](int output) { return sigmoid(value(map[b][85 * a + output][y][x])); };
    const at::Tensor found = boxes[b][(a * 4 + y) * 5 + x];
    EXPECT_NEAR(value(found[0]), (2 * raw(0) - 0.5 + x) * 16, 1e-9);
    EXPECT_NEAR(value(found[1]), (2 * raw(1) - 0.5 + y) * 16, 1e-9);
    EXPECT_NEAR(value(found[2]), std::pow(2 * raw(2), 2) * (10 + 14 * a), 1e-9);
    EXPECT_NEAR(value(found[3]), std::pow(2 * raw(3), 2) * (17 + 14 * a), 1e-9);
    for (const int output : {4, 5, 84}) EXPECT_NEAR(value(found[output]), raw(output), 1e-12);
  }
}

}  // namespace
}  // namespace harness
