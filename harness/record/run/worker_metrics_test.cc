#include "harness/record/run/worker_metrics.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

// One GPU busy for 2 of 10 s and three for 8 of 10.
TEST(GpuUtilisation, CountsGpus) {
  RunRecord record;
  record.duration_ns = 10 * kNsPerS;
  record.workers.resize(2);
  record.workers[0].busy_ns = 2 * kNsPerS;
  record.workers[1].busy_ns = 8 * kNsPerS;
  record.workers[1].gpus = 3;
  EXPECT_DOUBLE_EQ(gpu_utilisation(record), (2.0 + 24.0) / 40.0);
}

}  // namespace
}  // namespace harness
