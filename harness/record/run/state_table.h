// The states that systems published during a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/types.h"

namespace harness {

/// The states that the controllers published, in order of time: a row per publication.
struct StateTable {
  struct Row {
    TimeNs at_ns = 0;
    std::uint16_t module = 0;
  };
  std::vector<std::string> names;  ///< the system's names of the values; empty: nothing was recorded
  std::vector<Row> rows;
  std::vector<double> values;  ///< the values, at [row * names.size() + value]
};

}  // namespace harness
