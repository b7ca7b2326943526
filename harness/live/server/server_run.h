// The calls of one cell against a running server.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "harness/remote/http_end.h"
#include "harness/remote/http_request.h"

namespace harness {

/// The calls of a cell and the limits of its run.
struct ServerRun {
  /// The call that each visit of a module becomes.
  struct Module {
    HttpRequest request;  ///< request of every visit
    /// Returns what is wrong with the end of a call, for people; "" for a good answer.
    std::function<std::string(const HttpEnd&)> fault;
  };

  std::vector<Module> modules;         ///< calls of the visits, by module of the pipeline
  std::size_t connections = 0;         ///< the most calls under way at once
  bool spin = false;                   ///< waits for the next request without sleeping
  int spin_core = -1;                  ///< spin: core that the thread keeps to; -1: the kernel chooses
  double limit_s = 0;                  ///< wall time after which the run ends by itself; 0: no limit
  std::function<void()> check_signal;  ///< called at least every 50 ms; may throw to end the run
};

}  // namespace harness
