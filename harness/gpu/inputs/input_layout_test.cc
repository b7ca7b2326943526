#include "harness/gpu/inputs/input_layout.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "harness/gpu/inputs/assemble_pixels.h"
#include "harness/gpu/inputs/test_images.h"

namespace harness {
namespace {

/// A buffer on the host, and the device's buffer, to which it is copied.
class InputLayoutTest : public testing::Test {
 protected:
  void stage_all(std::size_t most) {
    while (!layout_.is_staged()) {
      const InputLayout::Range range = layout_.stage(host_, most);
      ASSERT_LE(range.end, host_.size());
      ASSERT_LT(range.begin, range.end);
      std::memcpy(device_.data() + range.begin, host_.data() + range.begin, range.end - range.begin);
      sent_ += range.end - range.begin;
    }
  }
  void place(std::span<const Image> batch) {
    layout_.place(batch);
    ASSERT_LE(layout_.size(), host_.size());
    layout_.write_table(host_, device_.data());
  }
  void expect_on_device(std::span<const Image> batch) const {
    const auto* const table = reinterpret_cast<const StagedImage*>(device_.data());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      EXPECT_EQ(table[i].height, batch[i].height);
      EXPECT_EQ(table[i].width, batch[i].width);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(table[i].words) % 16, 0U);
      EXPECT_EQ(std::memcmp(table[i].words, batch[i].bytes.data(), batch[i].bytes.size()), 0) << i;
    }
  }

  RandomStream random_{fresh_seed(), "layout"};
  const std::vector<OwnedImage> owned_ = random_images(random_, 8, 6);
  const std::vector<Image> images_ = views_of(owned_);
  InputLayout layout_;
  alignas(16) std::array<std::byte, 8 * (16 + 16 + 3 * 64 * 64)> host_ = {};
  alignas(16) std::array<std::byte, 8 * (16 + 16 + 3 * 64 * 64)> device_ = {};
  std::size_t sent_ = 0;
};

TEST_F(InputLayoutTest, BringsBatchesOverInPiecesOfAnySize) {
  for (const std::size_t most : {1U, 7U, 4096U, 1U << 20U}) {
    for (const std::size_t count : {1U, 3U, 8U}) {
      device_.fill(std::byte{0xEE});
      layout_.clear(8);
      const auto batch = std::span(images_).first(count);
      place(batch);
      stage_all(most);
      expect_on_device(batch);
    }
  }
}

TEST_F(InputLayoutTest, SendsAllAtOnceWhenNothingWasPrepared) {
  layout_.clear(8);
  place(images_);
  const InputLayout::Range range = layout_.stage(host_, 1 << 20);
  EXPECT_EQ(range.begin, 0U);
  EXPECT_EQ(range.end, layout_.size());
  EXPECT_TRUE(layout_.is_staged());
}

TEST_F(InputLayoutTest, CopiesPreparedImagesOnce) {
  layout_.clear(8);
  for (const Image& image : images_) {
    layout_.add(image);
    stage_all(1000);
  }
  const std::size_t before = sent_;
  place(images_);
  stage_all(1000);
  EXPECT_EQ(sent_ - before, 8 * sizeof(StagedImage)) << "the table alone";
  expect_on_device(images_);
}

TEST_F(InputLayoutTest, KeepsWhatThePreparedAndTheBatchHaveInCommonInOrder) {
  layout_.clear(8);
  for (const int i : {0, 1, 2, 3}) layout_.add(images_[static_cast<std::size_t>(i)]);
  stage_all(500);
  const std::size_t before = sent_;
  // Image 0 was dropped, 4 was never prepared, 2 comes after 3, against the order of add(), so it is copied
  // again.
  const std::vector<Image> batch = {images_[1], images_[4], images_[3], images_[2]};
  place(batch);
  stage_all(500);
  expect_on_device(batch);
  const auto padded = [](const Image& image) { return (image.bytes.size() + 15) / 16 * 16; };
  EXPECT_EQ(sent_ - before, 4 * sizeof(StagedImage) + padded(images_[4]) + padded(images_[2]));
}

TEST_F(InputLayoutTest, TakesABatchWhilePreparedImagesAreUnderWay) {
  layout_.clear(8);
  layout_.add(images_[0]);
  layout_.add(images_[1]);
  layout_.stage(host_, 5);
  const std::vector<Image> batch = {images_[0], images_[1], images_[5]};
  place(batch);
  std::memcpy(device_.data(), host_.data(), host_.size());  // the first piece was sent before
  stage_all(33);
  expect_on_device(batch);
}

TEST_F(InputLayoutTest, LeavesImagesOnTheDeviceWhereTheyStand) {
  layout_.clear(8);
  std::vector<Image> batch = {images_[0], images_[1], images_[2]};
  batch[1].on_device = true;
  place(batch);
  stage_all(1 << 20);
  expect_on_device(batch);
  const auto* const table = reinterpret_cast<const StagedImage*>(device_.data());
  EXPECT_EQ(static_cast<const void*>(table[1].words), batch[1].bytes.data());
  for (Image& image : batch) image.on_device = true;
  layout_.clear(8);
  place(batch);
  stage_all(1 << 20);
  expect_on_device(batch);
}

}  // namespace
}  // namespace harness
