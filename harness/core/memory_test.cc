#include "harness/core/memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <new>

namespace harness {
namespace {

TEST(Memory, ALimitIsSeenBeforeALibraryMeetsIt) {
  EXPECT_TRUE(has_memory());
  rlimit usual{};
  ::getrlimit(RLIMIT_AS, &usual);
  rlimit none = usual;
  none.rlim_cur = 1 << 20;  // less than what the process has already
  ::setrlimit(RLIMIT_AS, &none);
  const bool has = has_memory();
  bool throws = false;
  try {
    require_memory();
  } catch (const std::bad_alloc&) {
    throws = true;
  }
  ::setrlimit(RLIMIT_AS, &usual);
  EXPECT_FALSE(has);
  EXPECT_TRUE(throws);
  EXPECT_NO_THROW(require_memory());
}

}  // namespace
}  // namespace harness
