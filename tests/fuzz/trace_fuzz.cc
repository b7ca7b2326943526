// The trace reader takes any bytes: the first one picks the format, the rest is the file.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/reading.h"
#include "workloads/trace_files/trace_import.h"

namespace harness {
namespace {

/// The contract of TraceData.
void check(const TraceData& trace) {
  const bool in_order = std::is_sorted(trace.times_ns.begin(), trace.times_ns.end());
  if (!in_order || (!trace.times_ns.empty() && trace.times_ns.front() < 0)) std::abort();
  if (!std::isfinite(trace.bin_s) || trace.bin_s <= 0) std::abort();
  for (const double count : trace.counts) {
    if (!std::isfinite(count) || count < 0) std::abort();
  }
}

void read_any(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return;
  const std::vector<std::string> formats = trace_format_names();
  TraceSpec spec;
  spec.name = "fuzz";
  spec.shape = "file";
  spec.file = "fuzz.csv";
  spec.format = formats[data[0] % formats.size()];
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  accepts(spec.file, [&] { check(read_trace(spec.file, bytes, spec)); });
}

}  // namespace
}  // namespace harness

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  harness::read_any(data, size);
  return 0;
}
