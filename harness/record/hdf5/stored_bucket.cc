#include "harness/record/hdf5/stored_bucket.h"

#include <cstddef>

#include "harness/record/hdf5/stored_type.h"
#include "harness/record/run/latency_histogram.h"

namespace harness {
namespace {

void append_buckets(std::vector<StoredBucket>& rows, Measure measure, std::uint16_t module,
                    const LatencyHistogram& histogram) {
  const std::vector<std::uint64_t>& counts = histogram.counts();
  for (std::size_t bucket = 0; bucket < counts.size(); ++bucket) {
    if (counts[bucket] > 0) {
      rows.push_back({measure, module, LatencyHistogram::upper_edge(bucket), counts[bucket]});
    }
  }
}

}  // namespace

Hdf5Handle stored_type(const Measure*) {
  return enumeration({"latency", "queueing_delay", "batch_wait", "lateness"});
}

std::vector<StoredBucket> stored_buckets(const RunRecord& record) {
  std::vector<StoredBucket> rows;
  append_buckets(rows, Measure::kLatency, kWholeRequests, record.latency);
  append_buckets(rows, Measure::kScheduleLag, kWholeRequests, record.schedule_lag);
  for (std::size_t module = 0; module < record.modules.size(); ++module) {
    const auto id = static_cast<std::uint16_t>(module);
    append_buckets(rows, Measure::kQueueingDelay, id, record.modules[module].queueing_delay);
    append_buckets(rows, Measure::kBatchWait, id, record.modules[module].batch_wait);
  }
  return rows;
}

}  // namespace harness
