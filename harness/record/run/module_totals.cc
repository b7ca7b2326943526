#include "harness/record/run/module_totals.h"

#include <cstddef>

namespace harness {

ModuleTotals& ModuleTotals::operator-=(const ModuleTotals& part) {
  arrived -= part.arrived;
  done -= part.done;
  cancelled -= part.cancelled;
  unfinished -= part.unfinished;
  batches -= part.batches;
  preempted -= part.preempted;
  for (std::size_t i = 0; i < dropped.size(); ++i) dropped[i] -= part.dropped[i];
  queueing_ns -= part.queueing_ns;
  wait_ns -= part.wait_ns;
  exec_ns -= part.exec_ns;
  queueing_delay.remove_all(part.queueing_delay.counts());
  batch_wait.remove_all(part.batch_wait.counts());
  requests.sent -= part.requests.sent;
  requests.in_time -= part.requests.in_time;
  requests.late -= part.requests.late;
  requests.dropped -= part.requests.dropped;
  gaps.count -= part.gaps.count;
  gaps.sum_ns -= part.gaps.sum_ns;
  gaps.squares_ns2 -= part.gaps.squares_ns2;
  ends.count -= part.ends.count;
  ends.pairs -= part.ends.pairs;
  ends.last_slot -= part.ends.last_slot + 1;  // slots are counted from the end of the part
  return *this;
}

}  // namespace harness
