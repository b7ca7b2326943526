#include "harness/gpu/inputs/assembler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/gpu/inputs/assemble_pixels.h"
#include "harness/gpu/inputs/test_images.h"

namespace harness {
namespace {

constexpr double kHalfUlp = 0x1p-24;  // rounding to float32, relative

/// Returns a format that keeps pixel values as they are: gain 255 / 255, offset 0.
InputFormat plain(int height, int width) { return {height, width, {0, 0, 0}, {255, 255, 255}}; }

std::vector<float> assembled(const std::vector<OwnedImage>& images, const InputFormat& format) {
  std::vector<float> out(batch_elements(format, images.size()), std::numeric_limits<float>::quiet_NaN());
  assemble_batch(views_of(images), format, out);
  return out;
}

OwnedImage grey(int height, int width, const std::vector<std::uint8_t>& values) {
  OwnedImage image{{}, height, width};
  for (const std::uint8_t value : values) image.bytes.insert(image.bytes.end(), 3, value);
  return image;
}

std::vector<float> first_plane(const OwnedImage& image, const InputFormat& format) {
  std::vector<float> out = assembled({image}, format);
  out.resize(out.size() / 3);
  return out;
}

/// Returns the value at a real position, by the definition: the sum over pixels of value * triangle of the
/// distance.
double interpolated(const OwnedImage& image, double y, double x, int channel) {
  y = std::clamp(y, 0.0, image.height - 1.0);
  x = std::clamp(x, 0.0, image.width - 1.0);
  double sum = 0;
  for (int row = std::max(0, static_cast<int>(y) - 1); row < std::min(image.height, static_cast<int>(y) + 3);
       ++row) {
    for (int column = std::max(0, static_cast<int>(x) - 1);
         column < std::min(image.width, static_cast<int>(x) + 3); ++column) {
      const double share = std::max(0.0, 1 - std::abs(y - row)) * std::max(0.0, 1 - std::abs(x - column));
      const std::size_t pixel = static_cast<std::size_t>(row) * static_cast<std::size_t>(image.width) +
                                static_cast<std::size_t>(column);
      sum += share * image.bytes[3 * pixel + static_cast<std::size_t>(channel)];
    }
  }
  return sum;
}

/// Returns the most that rounding can add up to. In units of 2^-24 * 255, a weight is off by 2 and multiplies
/// a difference of at most 1; its product, sum and difference round by 1 each, so a vertical blend is off by
/// 4 (the difference of two bytes is exact) and the horizontal blend of two of these by 4 + 2 + 3 = 9. Gain,
/// product and sum of the normalisation add 3 |scale|, its offset twice |mean scale|; 1 is for products of
/// errors.
double bound_of(double mean, double scale) { return std::abs(scale) * kHalfUlp * (13 + 2 * std::abs(mean)); }

void expect_near_reference(const OwnedImage& image, const InputFormat& format, const float* planes) {
  for (int channel = 0; channel < 3; ++channel) {
    const double mean = static_cast<double>(format.mean[static_cast<std::size_t>(channel)]);
    const double scale = static_cast<double>(format.scale[static_cast<std::size_t>(channel)]);
    const double bound = bound_of(mean, scale);
    for (int row = 0; row < format.height; ++row) {
      const double y = (row + 0.5) * image.height / format.height - 0.5;
      for (int column = 0; column < format.width; ++column) {
        const double x = (column + 0.5) * image.width / format.width - 0.5;
        const double exact = (interpolated(image, y, x, channel) / 255 - mean) * scale;
        const double found = static_cast<double>(*planes++);
        ASSERT_LE(std::abs(found - exact), bound)
            << image.width << "x" << image.height << " to " << format.width << "x" << format.height
            << ", channel " << channel << ", row " << row << ", column " << column << ": " << found << " for "
            << exact;
      }
    }
  }
}

TEST(Assembly, IsTheBilinearResizeWithinRounding) {
  const std::uint64_t seed = fresh_seed();
  SCOPED_TRACE(seed_text(seed));
  RandomStream random(seed, "assembly");
  for (int i = 0; i < 300; ++i) {
    const InputFormat format = random_format(random, 7);
    const std::vector<OwnedImage> images = random_images(random, 3, 9);
    const std::vector<float> out = assembled(images, format);
    for (std::size_t j = 0; j < images.size(); ++j) {
      expect_near_reference(images[j], format, out.data() + j * batch_elements(format, 1));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Assembly, HoldsTheBoundOnTheImagesOfTheBenchmark) {
  const std::uint64_t seed = fresh_seed();
  SCOPED_TRACE(seed_text(seed));
  RandomStream random(seed, "assembly");
  InputFormat format{300, 300, {0.485F, 0.456F, 0.406F}, {1 / 0.229F, 1 / 0.224F, 1 / 0.225F}};
  const OwnedImage image = random_image(random, 480, 640);
  expect_near_reference(image, format, assembled({image}, format).data());
}

TEST(Assembly, LeavesPixelsAsTheyAreAtTheirOwnSize) {
  const std::uint64_t seed = fresh_seed();
  SCOPED_TRACE(seed_text(seed));
  RandomStream random(seed, "identity");
  for (const auto& [height, width] : {std::pair(1, 1), std::pair(7, 13), std::pair(300, 299)}) {
    const OwnedImage image = random_image(random, height, width);
    const std::vector<float> out = assembled({image}, plain(height, width));
    const std::size_t plane = out.size() / 3;
    for (std::size_t i = 0; i < image.bytes.size(); ++i) {
      ASSERT_EQ(out[i % 3 * plane + i / 3], static_cast<float>(image.bytes[i])) << "byte " << i;
    }
  }
}

TEST(Assembly, KeepsAConstantImageConstant) {
  RandomStream random(fresh_seed(), "constant");
  for (int i = 0; i < 50; ++i) {
    const auto value = static_cast<std::uint8_t>(random.below(256));
    const int height = random_side(random, 7);
    const int width = random_side(random, 7);
    const InputFormat format = plain(random_side(random, 7), random_side(random, 7));
    const std::size_t pixels = static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
    for (const float found :
         assembled({grey(height, width, std::vector<std::uint8_t>(pixels, value))}, format)) {
      ASSERT_EQ(found, static_cast<float>(value));
    }
  }
}

TEST(Assembly, ResizesRampsAsComputedByHand) {
  using Row = std::vector<float>;
  // Output column i lies at (i + 1/2) * 4 / 2 - 1/2 = 0.5, 2.5.
  EXPECT_EQ(first_plane(grey(1, 4, {0, 10, 20, 30}), plain(1, 2)), Row({5, 25}));
  // Columns lie at -0.25, 0.25, 0.75, 1.25: positions outside take the edge's value.
  EXPECT_EQ(first_plane(grey(1, 2, {0, 100}), plain(1, 4)), Row({0, 25, 75, 100}));
  // Columns, then rows, lie at 0.25, 1.75.
  EXPECT_EQ(first_plane(grey(1, 3, {0, 100, 200}), plain(1, 2)), Row({25, 175}));
  EXPECT_EQ(first_plane(grey(3, 1, {0, 100, 200}), plain(2, 1)), Row({25, 175}));
  // The column lies at 1.5 of 0..3: there is no filter when shrinking, so the outer pixels do not count.
  EXPECT_EQ(first_plane(grey(1, 4, {255, 10, 20, 255}), plain(1, 1)), Row({15}));
  // Both directions: rows lie at 0.25, 1.75 and columns at 0.5.
  EXPECT_EQ(first_plane(grey(3, 2, {0, 40, 80, 120, 160, 200}), plain(2, 1)), Row({40, 160}));
}

TEST(Assembly, SpreadsASinglePixel) {
  OwnedImage pixel{{10, 20, 30}, 1, 1};
  const std::vector<float> out = assembled({pixel}, plain(2, 3));
  for (std::size_t i = 0; i < 18; ++i) EXPECT_EQ(out[i], static_cast<float>(pixel.bytes[i / 6]));
}

TEST(Assembly, NormalisesEachChannelByItsOwnMeanAndScale) {
  OwnedImage pixel{{0, 51, 255}, 1, 1};
  const std::vector<float> out = assembled({pixel}, {1, 1, {0.5F, 0.25F, 0}, {2, 4, 8}});
  EXPECT_NEAR(out[0], -1.0, bound_of(0.5, 2));
  EXPECT_NEAR(out[1], -0.2, bound_of(0.25, 4));  // (51 / 255 - 0.25) * 4
  EXPECT_NEAR(out[2], 8.0, bound_of(0, 8));
}

TEST(Assembly, TreatsEachImageOfAMixedBatchAsIfAlone) {
  const std::uint64_t seed = fresh_seed();
  SCOPED_TRACE(seed_text(seed));
  RandomStream random(seed, "mixed");
  for (int i = 0; i < 20; ++i) {
    const InputFormat format = random_format(random, 6);
    const std::vector<OwnedImage> images = random_images(random, 8, 8);
    Assembler assembler(format);
    std::vector<float> out(batch_elements(format, images.size()));
    for (int repeat = 0; repeat < 2; ++repeat) {
      assembler.assemble(views_of(images), out);
      for (std::size_t j = 0; j < images.size(); ++j) {
        const std::vector<float> alone = assembled({images[j]}, format);
        ASSERT_EQ(std::memcmp(alone.data(), out.data() + j * alone.size(), alone.size() * sizeof(float)), 0)
            << "image " << j;
      }
    }
  }
}

TEST(Assembly, TakesTheLongestSides) {
  RandomStream random(fresh_seed(), "long");
  const OwnedImage wide = random_image(random, 2, kLongestSide);
  const OwnedImage tall = random_image(random, kLongestSide, 1);
  expect_near_reference(wide, plain(3, 7), assembled({wide}, plain(3, 7)).data());
  expect_near_reference(tall, plain(5, 1), assembled({tall}, plain(5, 1)).data());
  const OwnedImage small = random_image(random, 1, 5);
  expect_near_reference(small, plain(1, kLongestSide), assembled({small}, plain(1, kLongestSide)).data());
}

std::string refusal(const Image& image, const InputFormat& format, std::size_t floats) {
  std::vector<float> out(floats, 7);
  const std::vector<std::uint8_t> good(12);
  try {
    assemble_batch(std::vector<Image>{{good, 2, 2}, image}, format, out);
  } catch (const InputError& error) {
    EXPECT_EQ(out, std::vector<float>(floats, 7)) << "written to";
    return error.what();
  }
  return "";
}

TEST(Assembly, RefusesWrongShapes) {
  const std::vector<std::uint8_t> bytes(12);
  const InputFormat format = plain(1, 1);
  EXPECT_EQ(refusal({bytes, 2, 2}, format, 6), "");
  EXPECT_EQ(refusal({bytes, 2, 3}, format, 6),
            "image 2 of 2: found 12 bytes for 3x2 pixels; allowed: 18 bytes (RGB)");
  EXPECT_EQ(refusal({bytes, 0, 4}, format, 6),
            "image 2 of 2: found 4x0 pixels; allowed: sides of 1 to 16384 pixels");
  EXPECT_EQ(refusal({bytes, -1, -4}, format, 6),
            "image 2 of 2: found -4x-1 pixels; allowed: sides of 1 to 16384 pixels");
  EXPECT_EQ(refusal({bytes, 1, 16385}, format, 6),
            "image 2 of 2: found 16385x1 pixels; allowed: sides of 1 to 16384 pixels");
  EXPECT_EQ(refusal({bytes, 2, 2}, format, 7), "output for 2 images: found 7 floats; allowed: 6 floats");
  EXPECT_EQ(refusal({bytes, 2, 2}, plain(0, 1), 6),
            "size of the network's input: found 1x0 pixels; allowed: sides of 1 to 16384 pixels");
  InputFormat infinite = format;
  infinite.scale[2] = std::numeric_limits<float>::infinity();
  EXPECT_NE(refusal({bytes, 2, 2}, infinite, 6).find("normalisation of channel 2: found"), std::string::npos);
}

TEST(Assembly, TakesABatchOfNone) { EXPECT_TRUE(assembled({}, plain(2, 2)).empty()); }

}  // namespace
}  // namespace harness
