// For tests: traces of streams.
#pragma once

#include <utility>
#include <vector>

#include "workloads/spec/trace_spec.h"

namespace harness {

/// Returns a trace named "s" of these classes of streams.
inline TraceSpec trace_of(std::vector<StreamClass> classes, double duration_s = 60) {
  TraceSpec spec;
  spec.name = "s";
  spec.shape = "streams";
  spec.streams = std::move(classes);
  spec.duration_s = duration_s;
  return spec;
}

}  // namespace harness
