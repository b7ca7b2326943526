// What a rank tells rank 0 of a piece of work that all ranks do.
#pragma once

#include <string>

namespace harness {

/// The outcome of a piece of work on one rank.
struct RankReport {
  int exit_code = 0;    ///< exit code; 0: all is well
  std::string message;  ///< message of any length; empty if all is well
  int value = 0;        ///< result of the work
  std::string digest;   ///< hash of what must be the same on every rank
};

}  // namespace harness
