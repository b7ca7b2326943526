#include "harness/record/run/path_totals.h"

namespace harness {

PathTotals path_totals(const RunRecord& record) {
  PathTotals totals;
  for (const WindowCounts& window : record.windows) {
    totals.in_time += window.paths.in_time;
    totals.late += window.paths.late;
    totals.lost += window.paths.lost;
    totals.accuracy_sum += window.paths.accuracy_sum;
  }
  return totals;
}

}  // namespace harness
