#include "harness/core/archive.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "harness/core/random_stream.h"

namespace harness {
namespace {

enum class Side : std::uint8_t { kLeft, kRight };

struct Thing {
  std::int64_t number = 0;
  std::uint32_t word = 0;
  std::uint16_t half = 0;
  double real = 0;
  bool flag = false;
  Side side = Side::kLeft;
  std::string text;
  std::vector<int> values;
  std::vector<std::byte> bytes;

  bool operator==(const Thing&) const = default;
};

template <class Way>
void code(Archive<Way>& archive, Thing& thing) {
  archive.number(thing.number, 1'000'000);
  archive.value(thing.word);
  archive.value(thing.half);
  archive.value(thing.real);
  archive.value(thing.flag);
  archive.value(thing.side);
  archive.value(thing.text);
  archive.list(thing.values);
  archive.bytes(thing.bytes);
}

Thing random_thing(RandomStream& random) {
  Thing thing;
  thing.number = static_cast<std::int64_t>(random.bits() >> random.below(64));
  if (random.below(2) == 0) thing.number = -thing.number;
  thing.word = static_cast<std::uint32_t>(random.bits());
  thing.half = static_cast<std::uint16_t>(random.bits());
  thing.real = random.normal();
  thing.real = std::ldexp(thing.real, static_cast<int>(random.below(100)) - 50);
  thing.flag = random.below(2) == 0;
  thing.side = random.below(2) == 0 ? Side::kLeft : Side::kRight;
  for (std::uint64_t i = random.below(5); i > 0; --i) {
    thing.text += static_cast<char>(random.below(256));
    thing.values.push_back(static_cast<int>(random.bits()));
    thing.bytes.push_back(static_cast<std::byte>(random.below(256)));
  }
  return thing;
}

TEST(Archive, WhatIsWrittenIsReadBack) {
  RandomStream random(1, "archive");
  for (int round = 0; round < 1000; ++round) {
    const Thing thing = random_thing(random);
    ASSERT_EQ(unpacked<Thing>(packed(thing)), thing);
  }
  Thing extreme;
  extreme.number = std::numeric_limits<std::int64_t>::min();
  extreme.real = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(unpacked<Thing>(packed(extreme)), extreme);
}

TEST(Archive, NumbersNearTheUsualTakeOneByte) {
  std::vector<std::byte> bytes;
  WritingArchive archive(bytes);
  for (std::int64_t value : {1'000'000 - 64, 1'000'000, 1'000'063}) archive.number(value, 1'000'000);
  EXPECT_EQ(bytes.size(), 3U);
}

TEST(Archive, BytesThatAreCutOrTooManyAreNoticed) {
  RandomStream random(2, "archive");
  for (int round = 0; round < 100; ++round) {
    std::vector<std::byte> bytes = packed(random_thing(random));
    bytes.push_back(std::byte{0});
    EXPECT_THROW(unpacked<Thing>(bytes), EnvironmentError);
    bytes.resize(random.below(bytes.size() - 1));
    EXPECT_THROW(unpacked<Thing>(bytes), EnvironmentError);
  }
}

TEST(Archive, ANumberThatIsTooLargeForItsTypeIsNoNumber) {
  for (const std::int64_t sent : {std::int64_t{65'535}, std::int64_t{65'536}, std::int64_t{-1}}) {
    std::vector<std::byte> bytes;
    WritingArchive out(bytes);
    std::int64_t large = sent;
    out.value(large);
    ReadingArchive in(bytes);
    std::uint16_t small = 0;
    in.value(small);
    EXPECT_EQ(in.failed(), sent != 65'535) << sent;
  }
}

}  // namespace
}  // namespace harness
