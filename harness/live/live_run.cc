#include "harness/live/live_run.h"

#include "harness/core/error.h"

namespace harness {

std::optional<RunRecord> run_live(const RunSpec&, const LiveRun&, Transport&, RowSink*) {
  throw EnvironmentError("the emulated runtime is not built in");
}

}  // namespace harness
