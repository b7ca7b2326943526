#include "harness/gpu/inputs/assembler.h"

#include <cstdint>
#include <string>

#include "harness/core/input_error.h"
#include "harness/gpu/inputs/assemble_pixels.h"

namespace harness {
namespace {

// The number of floats read past a row: with weight 0, or in the lane that is dropped.
constexpr std::size_t kPastRow = 4;

void blend_rows(const std::uint8_t* upper, const std::uint8_t* lower, float weight, int bytes, float* to) {
  for (int i = 0; i < bytes; ++i) {
    to[i] = blend(static_cast<float>(upper[i]), static_cast<float>(lower[i]), weight);
  }
}

/// Writes one row of the three planes. A fourth lane, whose values are dropped, makes a pixel one vector.
void write_row(const float* row, std::span<const int> starts, std::span<const float> weights,
               const AssemblyConstants& constants, float* to) {
  const float gain[4] = {constants.gain[0], constants.gain[1], constants.gain[2], 0};
  const float offset[4] = {constants.offset[0], constants.offset[1], constants.offset[2], 0};
  const std::size_t plane = static_cast<std::size_t>(constants.height) * starts.size();
  for (std::size_t column = 0; column < starts.size(); ++column) {
    const float* pair = row + starts[column];
    const float weight = weights[column];
    float value[4];
    for (int i = 0; i < 4; ++i) value[i] = normalise(blend(pair[i], pair[i + 3], weight), gain[i], offset[i]);
    to[column] = value[0];
    to[plane + column] = value[1];
    to[2 * plane + column] = value[2];
  }
}

}  // namespace

Assembler::Assembler(const InputFormat& format)
    : format_(format),
      constants_(constants_of(format)),
      column_start_(static_cast<std::size_t>(format.width)),
      column_weight_(static_cast<std::size_t>(format.width)) {}

void Assembler::assemble(std::span<const Image> images, std::span<float> out) {
  check_images(images);
  const std::size_t wanted = batch_elements(format_, images.size());
  if (out.size() != wanted) {
    throw input_error({"", 0, "output for " + std::to_string(images.size()) + " images"},
                      std::to_string(out.size()) + " floats", std::to_string(wanted) + " floats");
  }
  float* planes = out.data();
  for (const Image& image : images) {
    set_input_width(image.width);
    assemble_image(image, planes);
    planes += batch_elements(format_, 1);
  }
}

void Assembler::set_input_width(int width) {
  if (width == input_width_) return;
  for (int column = 0; column < constants_.width; ++column) {
    const Tap tap = tap_of(column, constants_.width, constants_.half_column, width);
    column_start_[static_cast<std::size_t>(column)] = 3 * tap.low;
    column_weight_[static_cast<std::size_t>(column)] = tap.weight;
  }
  row_.assign(3 * static_cast<std::size_t>(width) + kPastRow, 0.0F);
  input_width_ = width;
}

void Assembler::assemble_image(const Image& image, float* planes) {
  const int row_bytes = 3 * image.width;
  for (int row = 0; row < constants_.height; ++row) {
    const Tap tap = tap_of(row, constants_.height, constants_.half_row, image.height);
    const std::uint8_t* upper = image.bytes.data() + static_cast<std::size_t>(tap.low) * row_bytes;
    blend_rows(upper, tap.weight > 0 ? upper + row_bytes : upper, tap.weight, row_bytes, row_.data());
    float* to = planes + static_cast<std::size_t>(row) * static_cast<std::size_t>(constants_.width);
    write_row(row_.data(), column_start_, column_weight_, constants_, to);
  }
}

void assemble_batch(std::span<const Image> images, const InputFormat& format, std::span<float> out) {
  Assembler(format).assemble(images, out);
}

}  // namespace harness
