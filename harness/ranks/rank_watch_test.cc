#include "harness/ranks/rank_watch.h"

#include <gtest/gtest.h>

#include <array>
#include <future>
#include <memory>

namespace harness {
namespace {

using Beats = std::array<RankWatch::Beat, 3>;
constexpr TimeNs kLimit = 200 * kNsPerMs;

TEST(RankWatchTest, NamesTheRankThatStandsStill) {
  Beats beats{};
  std::promise<std::size_t> silent;
  // Place 1 has no thread: it never beats. The others beat for each other, however busy this machine is.
  const auto ignore = [](std::size_t, TimeNs) {};
  const RankWatch other(beats, 2, 3600 * kNsPerS, ignore);
  std::promise<TimeNs> since;
  const RankWatch watch(std::span<RankWatch::Beat>(beats).first(2), 0, kLimit,
                        [&](std::size_t place, TimeNs silent_ns) {
                          silent.set_value(place);
                          since.set_value(silent_ns);
                        });
  EXPECT_EQ(silent.get_future().get(), 1U);
  EXPECT_GE(since.get_future().get(), kLimit);
}

TEST(RankWatchTest, IsSilentItselfWhenItEnds) {
  Beats beats{};
  std::promise<std::size_t> silent;
  const RankWatch watch(std::span<RankWatch::Beat>(beats).first(2), 0, kLimit,
                        [&](std::size_t place, TimeNs) { silent.set_value(place); });
  auto ending = std::make_unique<RankWatch>(beats, 1, 3600 * kNsPerS, [](std::size_t, TimeNs) {});
  while (beats[1] == 0) std::this_thread::yield();
  ending.reset();
  const std::uint32_t last = beats[1];
  EXPECT_EQ(silent.get_future().get(), 1U);
  EXPECT_EQ(beats[1], last);
}

}  // namespace
}  // namespace harness
