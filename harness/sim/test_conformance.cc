// harness-conformance LIBRARY.so ...: tests the laws of every cell (laws_test.cc) for the systems of shared
// libraries. Options of GoogleTest may follow. Exit codes: 0 all laws hold; 1 some law does not; 2 no such
// library.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "harness/core/input_error.h"
#include "harness/experiment/reading/known_systems.h"
#include "harness/sim/test_world.h"

namespace {

/// Loads the libraries, and returns the filter that picks the tests of their systems.
std::string filter_of(int argc, char** argv) {
  std::string filter;
  for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
    for (const harness::SystemEntry& entry : harness::load_system_library(argv[i], {"", 0, ""}).systems) {
      harness::testing::added_systems().push_back(entry);
      const std::string name = entry.name;
      filter += (filter.empty() ? "" : ":") + ("*/Laws.*/" + name + "_*:*/LightLoad.*/" + name);
    }
  }
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  std::string filter;
  try {
    filter = filter_of(argc, argv);
  } catch (const harness::InputError& error) {
    std::fprintf(stderr, "harness-conformance: %s\n", error.what());
    return 2;
  }
  if (filter.empty()) {
    std::fputs("harness-conformance: no library; allowed: LIBRARY.so ..., then options of GoogleTest\n",
               stderr);
    return 2;
  }
  ::testing::GTEST_FLAG(filter) = filter;
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
