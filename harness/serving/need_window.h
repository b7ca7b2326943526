// The largest need of a recent period, for planners that take workers away with a delay.
#pragma once

#include <deque>

#include "harness/core/types.h"

namespace harness {

/// The recent needs of a module. With them workers are taken away only if the need has been lower for a whole
/// period.
class NeedWindow {
 public:
  /// Returns the largest of `need`, which holds now, and the needs of the `span_ns` before it. Calls come in
  /// order of time.
  int largest(TimeNs now, int need, TimeNs span_ns) {
    while (!needs_.empty() && needs_.back().need <= need) needs_.pop_back();
    needs_.push_back({now, need});
    while (needs_.size() > 1 && needs_.front().at_ns <= now - span_ns) needs_.pop_front();
    return needs_.front().need;
  }

 private:
  struct Need {
    TimeNs at_ns = 0;
    int need = 0;
  };
  std::deque<Need> needs_;  ///< needs in order of time, each below the one before it
};

}  // namespace harness
