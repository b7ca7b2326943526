// What the names of a log's columns say of their numbers.
#pragma once

#include <string_view>

namespace harness {

/// What the name of a column says of it.
struct ColumnMeaning {
  enum class Kind {
    kTime,       ///< time, timestamp, arrival_ms, start time, minute
    kOtherTime,  ///< request_time, ttft_ms: a time or duration, of what the name does not say
    kCount,      ///< count, requests, num_requests: requests in a bin
    kRate,       ///< rps, "Throughput (req/s)", rate(requests_total[5m]): requests in a unit of time
    kAggregate,  ///< krps, avg_requests, active_requests, error_rate: of many requests, neither of these two
    kGap,        ///< inter_arrival_ms: time since the request before
    kQuantity,   ///< how much of it one request has: latency_ms, tokens
    kAttribute,  ///< what else one request has: model, status
    kUnknown,
  };
  Kind kind = Kind::kUnknown;
  double unit_s = 0;  ///< of times, gaps and rates; 0: the name has none
};
ColumnMeaning meaning_of(std::string_view column_name);

/// True if a column of unknown numbers may be one of requests in a bin: no name, "value", completed_requests.
bool may_name_counts(std::string_view column_name);

/// True if the name calls a column a counter: requests_total, "Total Requests", cumulative_count.
bool names_counter(std::string_view column_name);

/// True if a column of times is by its name one of ends: end_timestamp, finished_at, response_time.
bool names_end(std::string_view column_name);

/// True if the name is one of a duration: duration, latency_ms, elapsed, took.
bool names_duration(std::string_view column_name);

}  // namespace harness
