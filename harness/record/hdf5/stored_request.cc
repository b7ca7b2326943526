#include "harness/record/hdf5/stored_request.h"

namespace harness {

StoredRequest stored(const RequestRow& row) {
  return {row.request, row.sent_ns, row.end_ns - row.sent_ns, row.gpu_ns, row.module,
          row.outcome, row.reason,  row.schedule_lag_ns,      row.stream, row.slo_ns,
          row.accuracy};
}

RequestRow restored(const StoredRequest& row) {
  return {row.request, row.sent_ns, row.sent_ns + row.latency_ns, row.gpu_ns, row.module,
          row.outcome, row.reason,  row.schedule_lag_ns,          row.stream, row.slo_ns,
          row.accuracy};
}

}  // namespace harness
