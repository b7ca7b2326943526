#include "harness/engine/servers/gpu_places.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(GpuPlaces, WorkersTakeTheLowestThatIsFreeAndRuns) {
  GpuPlaces places({3});
  EXPECT_EQ(places.take(10), 0U);
  EXPECT_EQ(places.take(11), 1U);
  places.release(0, 10);
  EXPECT_TRUE(places.stop(0));
  EXPECT_EQ(places.idle_stopped(), 1);
  EXPECT_EQ(places.take(12), 2U);
  EXPECT_FALSE(places.stop(0));
  EXPECT_FALSE(places.resume(0));
  EXPECT_TRUE(places.resume(0));
  EXPECT_EQ(places.idle_stopped(), 0);
  EXPECT_EQ(places.take(13, 0, 0), 0U);
  EXPECT_EQ(places.worker_at(0), 13U);
}

TEST(GpuPlaces, EachKindHasARangeOfItsOwn) {
  GpuPlaces places({2, 0, 3});
  EXPECT_EQ(places.take(1, 2), 2U);
  EXPECT_EQ(places.take(2, 0), 0U);
  EXPECT_EQ(places.take(3, 2), 3U);
  places.release(2, 1);
  EXPECT_EQ(places.take(4, 0), 1U);
  EXPECT_EQ(places.take(5, 2), 2U);
  EXPECT_TRUE(places.stop(4));
  EXPECT_EQ(places.idle_stopped(0), 0);
  EXPECT_EQ(places.idle_stopped(2), 1);
  EXPECT_EQ(places.count(1), 0);
  EXPECT_EQ(places.count(2), 3);
}

TEST(GpuPlaces, WhatHasNoGpuSharesTheLast) {
  GpuPlaces places({2});
  places.take(0);
  places.take(1);
  EXPECT_EQ(places.take(2), 1U);
  places.release(1, 2);
  EXPECT_EQ(places.worker_at(1), 1U) << "it was not its own";
}

TEST(GpuPlaces, AnInstanceTakesTheLowestFreePlacesOfAServer) {
  GpuPlaces places({8}, 4);
  EXPECT_EQ(places.servers(), 2U);
  EXPECT_EQ(places.server_of(3), 0U);
  EXPECT_EQ(places.server_of(4), 1U);
  EXPECT_EQ(places.take_of(0, 10, 1), 0U);
  EXPECT_EQ(places.take_of(0, 11, 2), 1U);
  EXPECT_EQ(places.free_of(0), 1);
  places.release_of(0, 10);
  EXPECT_EQ(places.take_of(0, 12, 2), 0U) << "places 0 and 3";
  EXPECT_EQ(places.worker_at(3), 12U);
  places.release_of(0, 11);
  places.release_of(0, 11);
  EXPECT_EQ(places.free_of(0), 2);
  EXPECT_TRUE(places.stop(1));
  EXPECT_EQ(places.free_of(0), 1);
  EXPECT_FALSE(places.is_stopped(0));
  for (std::uint32_t gpu = 4; gpu < 8; ++gpu) places.stop(gpu);
  EXPECT_TRUE(places.is_stopped(1));
  EXPECT_EQ(places.free_of(1), 0);
  places.resume(6);
  EXPECT_FALSE(places.is_stopped(1));
}

}  // namespace
}  // namespace harness
