// The histograms of a run as the files hold them (results/README.md describes every column). Internal to
// record/.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/types.h"
#include "harness/record/hdf5/hdf5_handle.h"
#include "harness/record/run/run_record.h"

namespace harness {

/// The quantity that a histogram counts.
enum class Measure : std::uint8_t { kLatency, kQueueingDelay, kBatchWait, kScheduleLag };
Hdf5Handle stored_type(const Measure*);

/// The `module` of a histogram that is not of a module but of whole requests.
inline constexpr std::uint16_t kWholeRequests = 0xffff;
/// One filled bucket of a histogram.
struct StoredBucket {
  Measure measure = Measure::kLatency;
  std::uint16_t module = kWholeRequests;
  TimeNs up_to_ns = 0;
  std::uint64_t count = 0;

  static void list(auto& row, auto&& column) {
    column("measure", row.measure);
    column("module", row.module);
    column("up_to_ns", row.up_to_ns);
    column("count", row.count);
  }
};

std::vector<StoredBucket> stored_buckets(const RunRecord& record);

}  // namespace harness
