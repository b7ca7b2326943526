#include "harness/live/run/live_run.h"

#include "harness/live/run/live_loop.h"
#include "harness/machine/pinned_thread.h"
#include "harness/machine/steady_clock.h"
#include "harness/machine/timer_slack.h"

namespace harness {

std::optional<RunRecord> run_live(const RunSpec& spec, const LiveRun& run, Transport& transport,
                                  RowSink* rows) {
  set_timer_slack();
  LiveLoop loop(spec, run, transport, rows, steady_ns);
  std::optional<PinnedThread> pinned;
  try {
    if (run.params.spin && run.params.spin_core >= 0 && transport.rank() == 0)
      pinned.emplace(run.params.spin_core);
  } catch (const EnvironmentError& error) {
    loop.abort(error.what());
    throw;
  }
  loop.begin();
  while (!loop.over()) {
    const bool busy = loop.turn();
    if (!busy && !loop.over()) loop.wait();
  }
  if (transport.rank() != 0) return std::nullopt;
  return loop.close();
}

}  // namespace harness
