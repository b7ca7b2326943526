#include "harness/files/batch_table.h"

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

/// Returns the text without what may come before its first line.
std::string_view without_begin(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of("\xef\xbb\xbf \r\n\t"), text.size()));
  return text;
}

}  // namespace

bool is_latency_report(std::string_view text) {
  constexpr std::size_t kFirstRun = 4096;
  constexpr std::size_t kBeforeEvents = std::size_t{1} << 20;  // facts of the devices come first
  text = without_begin(text);
  if (text.starts_with("[")) return has_any(text.substr(0, kFirstRun), {"\"computeMs\""});
  if (text.starts_with("{")) return has_any(text.substr(0, kBeforeEvents), {"\"traceEvents\""});
  return has_any(heading_of(text), {",inferencessecond,", ",timestats"});
}

bool may_be_batch_table(std::string_view text) {
  const std::string heading = heading_of(without_begin(text));
  return is_latency_report(text) ||
         (has_any(heading, {",batch,", ",batchsize,", ",bs,"}) &&
          has_any(heading, {"latency", "throughput", "p50", "p99", "median", "mean", "avg"}) &&
          !has_any(heading, {"stamp", "arriv", "receiv", "creat", "sent", "start"}));
}

}  // namespace harness
