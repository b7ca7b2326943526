#include "harness/engine/servers/host_memory.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

// QUART, section 6.1: a copy shares the pages of the instance that it was forked from; one that starts from
// it has its own.
TEST(HostMemory, ACopyTakesMemoryOnceItsInstanceHasLeft) {
  HostMemory memory(2, 10, {3, 4});
  memory.enter(0, 0, 1, false);
  EXPECT_EQ(memory.free_mb(0), 7) << "from the start of its start-up";
  EXPECT_EQ(memory.free_mb(1), 10);
  memory.on_loaded(0, 0, 1);
  memory.keep(0, 0, false);
  memory.keep(0, 0, false);
  EXPECT_EQ(memory.free_mb(0), 7) << "shared";
  EXPECT_TRUE(memory.is_shared(0, 0));
  memory.enter(0, 0, 2, true);
  EXPECT_TRUE(memory.is_source(0, 0));
  EXPECT_EQ(memory.free_mb(0), 4) << "a duplicate set";
  EXPECT_TRUE(memory.leave(0, 0, 1));
  EXPECT_EQ(memory.free_mb(0), 4) << "the pages are the copy's now";
  EXPECT_FALSE(memory.is_shared(0, 0));
  memory.on_loaded(0, 0, 2);
  EXPECT_FALSE(memory.is_source(0, 0));
  EXPECT_TRUE(memory.leave(0, 0, 2));
  EXPECT_EQ(memory.free_mb(0), 7);
  EXPECT_EQ(memory.missing_mb(0, 1), 0);
  memory.enter(0, 1, 3, false);
  EXPECT_EQ(memory.missing_mb(0, 1), 1);
  EXPECT_TRUE(memory.could_fit(0, 1)) << "without the copy";
  memory.drop(0, 0);
  EXPECT_EQ(memory.missing_mb(0, 1), 0);
  EXPECT_FALSE(memory.leave(0, 1, 3)) << "it has never been loaded";
  EXPECT_EQ(memory.free_mb(0), 10);
}

TEST(HostMemory, WhatHasJustLeftCanBeKeptAndIsLostWithTheServer) {
  HostMemory memory(1, 10, {3});
  memory.enter(0, 0, 1, false);
  memory.on_loaded(0, 0, 1);
  EXPECT_TRUE(memory.leave(0, 0, 1));
  memory.keep(0, 0, true);
  EXPECT_EQ(memory.free_mb(0), 7);
  memory.lose(0);
  EXPECT_FALSE(memory.is_kept(0, 0));
  EXPECT_EQ(memory.free_mb(0), 10);
}

TEST(HostMemory, WhatTheBooksDoNotAllowIsABug) {
  HostMemory memory(1, 10, {6});
  EXPECT_DEATH(memory.keep(0, 0, false), "not in the server's memory");
  EXPECT_DEATH(memory.drop(0, 0), "not kept");
  memory.enter(0, 0, 1, false);
  EXPECT_DEATH(memory.keep(0, 0, false), "not in the server's memory") << "still being read";
  EXPECT_DEATH(memory.enter(0, 0, 2, false), "without memory");
  EXPECT_DEATH(memory.leave(0, 0, 2), "where it is not");
  HostMemory small(1, 20, {6});
  small.enter(0, 0, 1, false);
  small.on_loaded(0, 0, 1);
  small.keep(0, 0, false);
  small.enter(0, 0, 2, true);
  EXPECT_DEATH(small.drop(0, 0), "from which an instance starts");
}

}  // namespace
}  // namespace harness
