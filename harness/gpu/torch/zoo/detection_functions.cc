#include "harness/gpu/torch/zoo/detection_functions.h"

#include <ATen/ATen.h>

#include <cmath>
#include <cstddef>

namespace harness {
namespace {

constexpr std::int64_t kBins = 7;
constexpr std::int64_t kSamples = 2;  // per side of a bin

at::Tensor pick(const at::Tensor& boxes, int coordinate) { return boxes.select(-1, coordinate); }

/// Returns for each box the number of its level: `of_level[level]`.
at::Tensor by_level(const at::Tensor& level, const std::vector<double>& of_level) {
  at::Tensor values = at::full_like(level, of_level[0]);
  for (std::size_t i = 1; i < of_level.size(); ++i)
    values = at::where(level == static_cast<double>(i), at::full_like(level, of_level[i]), values);
  return values;
}

/// Returns the level of each box, a float from 0.
at::Tensor level_of(const at::Tensor& boxes, std::size_t levels) {
  const at::Tensor area = (pick(boxes, 2) - pick(boxes, 0)) * (pick(boxes, 3) - pick(boxes, 1));
  const at::Tensor level = at::floor(at::log2(at::sqrt(area) / 224) + (2 + 1e-6));
  return at::clamp(level, 0, static_cast<double>(levels - 1));
}

/// One axis of the samples: the cells below and above each sample and the upper one's share, all [b, n, kBins
/// * kSamples].
struct Axis {
  at::Tensor low, high, share, inside;
};

Axis samples_of(const at::Tensor& from, const at::Tensor& to, const at::Tensor& cells) {
  const at::Tensor length = at::clamp_min(to - from, 1);
  const at::Tensor steps = (at::arange(kBins * kSamples, from.options()) + 0.5) / (kBins * kSamples);
  const at::Tensor place = from.unsqueeze(-1) + length.unsqueeze(-1) * steps;
  const at::Tensor last = cells.unsqueeze(-1) - 1;
  const at::Tensor inside = at::logical_and(place >= -1, place <= last + 1);
  const at::Tensor kept = at::minimum(at::clamp_min(place, 0), last);
  const at::Tensor low = at::floor(kept);
  return {low, at::minimum(low + 1, last), kept - low, inside};
}

/// Returns [b, n, 14, 14] from factors of rows and columns.
at::Tensor on_grid(const at::Tensor& rows, const at::Tensor& columns) {
  return rows.unsqueeze(-1) * columns.unsqueeze(-2);
}

/// Returns all levels as rows of channels, [b * places, c].
at::Tensor as_rows(const std::vector<at::Tensor>& levels) {
  std::vector<at::Tensor> rows;
  for (const at::Tensor& level : levels) rows.push_back(at::flatten(level, 2).transpose(1, 2));
  return at::flatten(at::cat(rows, 1), 0, 1);
}

/// Returns the sample in `row` and `column` of each bin of a grid [b, n, 14, 14]; [b * n * 49].
at::Tensor samples_at(const at::Tensor& grid, std::int64_t row, std::int64_t column) {
  constexpr std::int64_t kSide = kBins * kSamples;
  return grid.slice(2, row, kSide, kSamples).slice(3, column, kSide, kSamples).reshape({-1});
}

/// Adds to each bin of `sum` [b * n * 49, c] its samples' rows, each times its share.
void add_samples(at::Tensor& sum, const at::Tensor& rows, const at::Tensor& index, const at::Tensor& share) {
  for (std::int64_t row = 0; row < kSamples; ++row)
    for (std::int64_t column = 0; column < kSamples; ++column)
      sum.addcmul_(at::index_select(rows, 0, samples_at(index, row, column)),
                   samples_at(share, row, column).unsqueeze(-1));
}

/// The properties of its level for each box [b, n].
struct LevelOfBox {
  at::Tensor scale, height, width;
  at::Tensor start;  // first of the level's places among the batch's, integer
};

LevelOfBox levels_of(const std::vector<at::Tensor>& levels, const at::Tensor& boxes) {
  std::vector<double> scales, heights, widths, starts;
  std::int64_t places = 0;
  for (const at::Tensor& level : levels) {
    scales.push_back(0.25 / std::exp2(static_cast<double>(scales.size())));
    heights.push_back(static_cast<double>(level.size(2)));
    widths.push_back(static_cast<double>(level.size(3)));
    starts.push_back(static_cast<double>(places));
    places += level.size(2) * level.size(3);
  }
  const at::Tensor level = level_of(boxes, levels.size());
  // Places are counted as integers: a float would not hold the places of a large batch.
  const at::Tensor image = at::arange(boxes.size(0), boxes.options().dtype(at::kLong)) * places;
  return {by_level(level, scales), by_level(level, heights), by_level(level, widths),
          image.unsqueeze(-1) + by_level(level, starts).to(at::kLong)};
}

}  // namespace

at::Tensor yolo_boxes(const at::Tensor& map, const at::Tensor& anchors, int stride) {
  const std::int64_t batch = map.size(0), height = map.size(2), width = map.size(3);
  const std::int64_t count = anchors.size(0), outputs = map.size(1) / count;
  const at::Tensor y = at::sigmoid(map.view({batch, count, outputs, height, width}).permute({0, 1, 3, 4, 2}));
  const at::Tensor rows = at::arange(height, map.options()).view({height, 1}).expand({height, width});
  const at::Tensor columns = at::arange(width, map.options()).view({1, width}).expand({height, width});
  const at::Tensor grid = at::stack({columns, rows}, -1) - 0.5;
  const at::Tensor centre = (y.narrow(-1, 0, 2) * 2 + grid) * stride;
  const at::Tensor doubled = y.narrow(-1, 2, 2) * 2;
  const at::Tensor size = doubled * doubled * anchors.view({count, 1, 1, 2});
  return at::cat({centre, size, y.narrow(-1, 4, outputs - 4)}, -1)
      .view({batch, count * height * width, outputs});
}

at::Tensor base_anchors(int size) {
  at::Tensor anchors = at::empty({3, 4});
  const double ratios[] = {0.5, 1, 2};
  for (int i = 0; i < 3; ++i) {
    const double height = size * std::sqrt(ratios[i]), width = size / std::sqrt(ratios[i]);
    const double corners[] = {-width / 2, -height / 2, width / 2, height / 2};
    for (int j = 0; j < 4; ++j) anchors[i][j] = std::nearbyint(corners[j]);
  }
  return anchors;
}

at::Tensor grid_anchors(const at::Tensor& base, std::int64_t height, std::int64_t width, double stride_y,
                        double stride_x) {
  const at::Tensor y =
      (at::arange(height, base.options()) * stride_y).view({height, 1}).expand({height, width});
  const at::Tensor x =
      (at::arange(width, base.options()) * stride_x).view({1, width}).expand({height, width});
  const at::Tensor shifts = at::stack({x, y, x, y}, -1).reshape({-1, 1, 4});
  return (shifts + base).reshape({-1, 4});
}

at::Tensor moved_boxes(const at::Tensor& boxes, const at::Tensor& deltas) {
  const at::Tensor width = pick(boxes, 2) - pick(boxes, 0), height = pick(boxes, 3) - pick(boxes, 1);
  const at::Tensor x = pick(boxes, 0) + width * 0.5 + pick(deltas, 0) * width;
  const at::Tensor y = pick(boxes, 1) + height * 0.5 + pick(deltas, 1) * height;
  const double most = std::log(1000.0 / 16);
  const at::Tensor half_width = at::exp(at::clamp_max(pick(deltas, 2), most)) * width * 0.5;
  const at::Tensor half_height = at::exp(at::clamp_max(pick(deltas, 3), most)) * height * 0.5;
  return at::stack({x - half_width, y - half_height, x + half_width, y + half_height}, -1);
}

at::Tensor clipped_boxes(const at::Tensor& boxes, std::int64_t height, std::int64_t width) {
  return at::stack({at::clamp(pick(boxes, 0), 0, width), at::clamp(pick(boxes, 1), 0, height),
                    at::clamp(pick(boxes, 2), 0, width), at::clamp(pick(boxes, 3), 0, height)},
                   -1);
}

at::Tensor relative_boxes(const at::Tensor& boxes, double height, double width) {
  return at::stack(
      {pick(boxes, 0) / width, pick(boxes, 1) / height, pick(boxes, 2) / width, pick(boxes, 3) / height}, -1);
}

at::Tensor pooled_regions(const std::vector<at::Tensor>& levels, const at::Tensor& boxes) {
  const LevelOfBox level = levels_of(levels, boxes);
  const Axis y = samples_of(pick(boxes, 1) * level.scale, pick(boxes, 3) * level.scale, level.height);
  const Axis x = samples_of(pick(boxes, 0) * level.scale, pick(boxes, 2) * level.scale, level.width);
  const at::Tensor rows = as_rows(levels), inside = on_grid(y.inside, x.inside);
  const std::int64_t regions = boxes.size(0) * boxes.size(1), channels = rows.size(1);
  at::Tensor sum = at::zeros({regions * kBins * kBins, channels}, boxes.options());
  for (const bool below : {true, false}) {
    for (const bool left : {true, false}) {
      const at::Tensor row_start = (below ? y.low : y.high) * level.width.unsqueeze(-1);
      const at::Tensor cell = row_start.unsqueeze(-1) + (left ? x.low : x.high).unsqueeze(-2);
      const at::Tensor index = cell.to(at::kLong) + level.start.unsqueeze(-1).unsqueeze(-1);
      const at::Tensor share = on_grid(below ? 1 - y.share : y.share, left ? 1 - x.share : x.share);
      add_samples(sum, rows, index, share * inside / (kSamples * kSamples));
    }
  }
  return sum.to(rows.scalar_type())
      .view({regions, kBins * kBins, channels})
      .transpose(1, 2)
      .reshape({regions, channels, kBins, kBins});
}

}  // namespace harness
