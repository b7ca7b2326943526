#include "harness/experiment/running/dry_run_total.h"

#include "harness/core/wording.h"
#include "harness/experiment/running/short_text.h"

namespace harness {

DryRunTotal::DryRunTotal(const std::vector<PreparedCell>& cells) {
  for (const PreparedCell& cell : cells) {
    if (!cell.why.empty()) {
      ++skipped;
      continue;
    }
    requests += cell.expected_requests;
    if (is_live(cell)) live_s += cell.duration_s;
  }
}

std::string dry_run_total(const std::vector<PreparedCell>& cells) {
  const DryRunTotal total(cells);
  const std::string wall = total.live_s > 0 ? ", " + short_time(total.live_s) + " of wall-clock time" : "";
  return counted(cells.size(), "cell") + ", " + short_count(total.requests) + " requests" + wall;
}

}  // namespace harness
