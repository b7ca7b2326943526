#include "harness/gpu/staging.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/gpu/assembly_kernel.h"
#include "harness/gpu/test_pictures.h"

namespace harness {
namespace {

TEST(StagePictures, PointsFromTheTableToEachPicturesBytes) {
  const std::uint64_t seed = fresh_seed();
  SCOPED_TRACE(seed_text(seed));
  RandomStream random(seed, "staging");
  const std::vector<OwnedPicture> pictures = random_pictures(random, 20, 6);
  std::vector<std::byte> host(staged_size(views_of(pictures)) + 100, std::byte{0xAB});
  const auto* const device = reinterpret_cast<const std::byte*>(std::uintptr_t{1} << 40);  // never read here
  stage_pictures(views_of(pictures), host, device);

  std::size_t end = pictures.size() * sizeof(StagedPicture);
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    StagedPicture entry;
    std::memcpy(&entry, host.data() + i * sizeof entry, sizeof entry);
    EXPECT_EQ(entry.height, pictures[i].height);
    EXPECT_EQ(entry.width, pictures[i].width);
    const std::size_t at = reinterpret_cast<std::uintptr_t>(entry.words) - (std::uintptr_t{1} << 40);
    EXPECT_EQ(at % 16, 0U);
    EXPECT_GE(at, end) << "overlaps what stands before it";
    end = at + pictures[i].bytes.size();
    ASSERT_LE(end, staged_size(views_of(pictures)));
    EXPECT_EQ(std::memcmp(host.data() + at, pictures[i].bytes.data(), pictures[i].bytes.size()), 0);
  }
  EXPECT_TRUE(std::all_of(host.end() - 100, host.end(), [](std::byte byte) {
    return byte == std::byte{0xAB};
  })) << "written past the staged size";
}

TEST(StagePictures, CountsRoundedUpPicturesAndTheTable) {
  const std::vector<std::uint8_t> bytes(48);
  EXPECT_EQ(staged_size({}), 0U);
  EXPECT_EQ(staged_size(std::vector<Picture>{{std::span(bytes).first(3), 1, 1}, {bytes, 4, 4}}),
            32U + 16U + 48U);
}

TEST(StagePictures, RefusesWhatDoesNotFit) {
  const std::vector<std::uint8_t> bytes(12);
  const std::vector<Picture> pictures = {{bytes, 2, 2}};
  std::vector<std::byte> host(31, std::byte{1});
  try {
    stage_pictures(pictures, host, nullptr);
    ADD_FAILURE() << "not refused";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "buffer for 1 pictures: found 31 bytes; allowed: at least 32 bytes");
  }
  EXPECT_EQ(host, std::vector<std::byte>(31, std::byte{1}));
  EXPECT_THROW(stage_pictures(std::vector<Picture>{{bytes, 2, 3}}, host, nullptr), InputError);
}

}  // namespace
}  // namespace harness
