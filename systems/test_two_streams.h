// For tests: the two streams of section 7.2 of the SHEPHERD paper.
#pragma once

#include <vector>

#include "harness/core/test_time.h"
#include "harness/core/types.h"

namespace harness {

/// Returns in order of time 1,024 requests for ResNet18 (module 0) every 120 ms from 5 ms on, and one for
/// ResNeSt269 (module 1) every ms. `Request` has a module, an arrival and a due time.
template <class Request>
std::vector<Request> requests_of_two_streams(TimeNs duration_ns, TimeNs slo_ns) {
  std::vector<Request> requests;
  for (TimeNs at = 0; at < duration_ns; at += kMs) {
    requests.push_back({1, at, at + slo_ns});
    if (at % (120 * kMs) == 5 * kMs) requests.insert(requests.end(), 1024, {0, at, at + slo_ns});
  }
  return requests;
}

}  // namespace harness
