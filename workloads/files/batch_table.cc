#include "workloads/files/batch_table.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string>

namespace harness {
namespace {

bool has_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

/// Returns the first line in lower case, letters and digits alone, each field between commas.
std::string heading_of(std::string_view text) {
  std::string heading = ",";
  for (const char c : text.substr(0, text.find('\n'))) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ',' || c == ';' || c == '\t')
      heading += ',';
    else if (std::isalnum(byte) != 0)
      heading += static_cast<char>(std::tolower(byte));
  }
  return heading + ",";
}

bool is_batch_table(std::string_view text) {
  constexpr std::size_t kBeginning = 65536;  // of JSON: the first runs or events lie in it
  if (text.starts_with("[") || text.starts_with("{"))
    return has_any(text.substr(0, kBeginning), {"\"traceEvents\"", "\"computeMs\""});
  const std::string heading = heading_of(text);
  const bool has_batches = has_any(heading, {",batch,", ",batchsize,", ",bs,"});
  const bool has_latencies =
      has_any(heading, {"latency", "throughput", "p50", "p99", "median", "mean", "avg"});
  const bool has_times = has_any(heading, {"timestamp", ",time,", "arriv", "start", "date", "sent"});
  return (has_batches && has_latencies && !has_times) ||
         has_any(heading, {",inferencessecond,", ",timestats"});
}

}  // namespace

void refuse_batch_table(const InputPlace& place, std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of("\xef\xbb\xbf \r\n\t"), text.size()));
  if (!is_batch_table(text)) return;
  throw input_error(place, "latencies of batches, as another tool wrote them",
                    "a set of profiles made of them: harness profile import FILE -o SET.toml");
}

}  // namespace harness
