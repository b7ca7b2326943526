// The largest need of some time past, for planners that take workers away with a delay.
#pragma once

#include <deque>

#include "harness/core/types.h"

namespace harness {

/// Workers go only when the need was lower for that long.
class NeedWindow {
 public:
  /// Of `need`, which is that of now, and those of the `span_ns` before it. In order of time.
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
  std::deque<Need> needs_;  ///< decreasing needs
};

}  // namespace harness
