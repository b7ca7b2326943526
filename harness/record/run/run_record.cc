#include "harness/record/run/run_record.h"

namespace harness {

RunRecord& RunRecord::operator-=(const RunRecord& part) {
  sent -= part.sent;
  in_time -= part.in_time;
  late -= part.late;
  dropped -= part.dropped;
  unfinished -= part.unfinished;
  accuracy_sum -= part.accuracy_sum;
  accuracy_requests -= part.accuracy_requests;
  latency_sum_ns -= part.latency_sum_ns;
  gpu_ns -= part.gpu_ns;
  gpu_invalid_ns -= part.gpu_invalid_ns;
  latency.remove_all(part.latency.counts());
  exchanged_bytes -= part.exchanged_bytes;
  if (order_changes >= 0) order_changes -= part.order_changes;
  return *this;
}

}  // namespace harness
