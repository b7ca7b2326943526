#include "systems/loki/augmented_graph.h"

#include <gtest/gtest.h>

#include "systems/loki/test_loki_cases.h"

namespace harness {
namespace {

// With a limit of 120 ms yolov5x has at most batch 2, and batches of 16 leave it no time.
TEST(AugmentedGraph, HasNoBatchThatIsNeverTheBest) {
  LokiCase made(make_traffic);
  const AugmentedGraph graph = augmented_graph(made.problem, allowed_variants(made.pipeline, Variants::kAll));
  EXPECT_EQ(graph.sinks, 2);
  for (std::size_t v = 1; v < graph.vertices.size(); ++v) {
    const GraphVertex& before = graph.vertices[v - 1];
    if (before.variant != graph.vertices[v].variant) continue;
    EXPECT_LT(before.latency_ns, graph.vertices[v].latency_ns);
    EXPECT_LT(before.rate_rps, graph.vertices[v].rate_rps);
  }
  for (const GraphPrefix& prefix : graph.prefixes)
    EXPECT_LE(prefix.latency_ns, made.problem.latency_limit_ns);
  made.problem.latency_limit_ns = ms_to_ns(10'000);  // nothing to share out: one batch each
  EXPECT_EQ(augmented_graph(made.problem, allowed_variants(made.pipeline, Variants::kAll)).vertices.size(),
            17U);
}

}  // namespace
}  // namespace harness
