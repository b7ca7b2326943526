#include "workloads/trace_files/column_names.h"

#include <gtest/gtest.h>

#include <string>

namespace harness {
namespace {

using Kind = ColumnMeaning::Kind;

void expect_all(Kind kind, double unit_s, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const ColumnMeaning meaning = meaning_of(name);
    EXPECT_EQ(static_cast<int>(meaning.kind), static_cast<int>(kind)) << name;
    if (unit_s > 0) {
      EXPECT_EQ(meaning.unit_s, unit_s) << name;
    }
  }
}

TEST(ColumnNames, ReadRatesOfRequests) {
  expect_all(
      Kind::kRate, 1,
      {"rps", "qps", "RPS", "avg_rps", "read_rps", "rate", "arrival_rate", "request_rate", "req/s",
       "Throughput (req/s)", "Request rate (req/s)", "Total requests/sec", "RequestsPerSecond",
       "requests per second", "rate(http_requests_total[5m])", "irate(http_requests_total[1m])",
       "sum(rate(http_requests_total{code=\"200\"}[5m]))", "rate(http_request_duration_seconds_count[5m])"});
  expect_all(Kind::kRate, 60,
             {"rpm", "qpm", "requests/min", "hits_per_min", "requests per minute", "avg rpm",
              "arrival rate per minute", "calls/minute"});
  expect_all(Kind::kRate, 3600, {"requests per hour", "invocations/h"});
  expect_all(Kind::kRate, 86400, {"queries per day"});
}

TEST(ColumnNames, TakeNoOtherNumberOfManyRequestsForACountOrARate) {
  expect_all(Kind::kAggregate, 0,
             {"krps",
              "kRPS",
              "tps",
              "iops",
              "ops/s",
              "Hz",
              "requests (k)",
              "requests in thousands",
              "kreq/s",
              "requests_per_10s",
              "requests_5m",
              "requests/m",
              "requests_sec",
              "requests_min",
              "requests_max",
              "avg_requests",
              "mean requests",
              "p99_rps",
              "max_rps",
              "peak rps",
              "rps_5m",
              "target_rps",
              "requests_pct",
              "% of requests",
              "request ratio",
              "num_requests_waiting",
              "active_requests",
              "requests in flight",
              "concurrent requests",
              "users",
              "connections",
              "concurrency",
              "error_rate",
              "success rate",
              "failed_rps",
              "requests_failed",
              "count_5xx",
              "error_count",
              "requests_403",
              "cancelled_requests",
              "completed requests per second",
              "tokens_total",
              "throughput",
              "requests per user",
              "images/s",
              "avg",
              "increase(http_requests_total[1m])",
              "rate(node_cpu_seconds_total[5m])",
              "avg(rate(http_requests_total[5m]))",
              "deriv(x[5m]) rate",
              "rate(http_request_duration_seconds_sum[5m])",
              "rate(a_requests_total[5m])/rate(b_total[5m])",
              "sum(rate(http_requests_total[5m]))*60",
              "rate(http_request_errors_total[5m])"});
}

TEST(ColumnNames, ReadCounts) {
  expect_all(Kind::kCount, 0,
             {"count", "requests", "Request Count", "num_requests", "n", "invocations", "arrivals",
              "number of requests", "requests per interval", "hits"});
  // What they count is not what arrived, or not only.
  expect_all(Kind::kUnknown, 0, {"value", "completed_requests", "requests_total", "requests_2xx", "2"});
}

TEST(ColumnNames, TellWhatOneRequestHas) {
  expect_all(Kind::kQuantity, 0,
             {"latency_ms", "avg_latency", "tokens", "tokens/s", "request_bytes", "response_time_ms",
              "end_timestamp", "finish_ms", "max_tokens", "output_throughput", "cpu_percent"});
  expect_all(Kind::kAttribute, 0, {"model", "status_200", "request_number", "done", "completed"});
  expect_all(Kind::kOtherTime, 0, {"request_time", "ttft_ms", "request_ms", "window_time"});
  expect_all(Kind::kGap, 0, {"inter_arrival_ms", "gap"});
  expect_all(Kind::kTime, 0, {"time", "request_ts", "arrival_ms", "start time (s)"});
}

TEST(ColumnNames, TellEndsFromBeginnings) {
  for (const char* name : {"end_timestamp", "endTimeUnixNano", "finished_at", "completion time", "stop_time",
                           "response_ts", "t_end", "done", "closed_at", "departure"})
    EXPECT_TRUE(names_end(name)) << name;
  for (const char* name : {"start_timestamp", "time", "arrival", "frontend_time", "backend start", "sent"})
    EXPECT_FALSE(names_end(name)) << name;
}

TEST(ColumnNames, CallNoRateACounter) {
  EXPECT_TRUE(names_counter("http_requests_total"));
  EXPECT_TRUE(names_counter("Requests Counter"));
  EXPECT_FALSE(names_counter("rate(http_requests_total[5m])"));
  EXPECT_FALSE(names_counter("total rps"));
}

}  // namespace
}  // namespace harness
