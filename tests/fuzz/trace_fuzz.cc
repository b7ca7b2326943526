// The reader of imported traces takes any bytes.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "harness/files/sha256.h"
#include "tests/fuzz/reading.h"
#include "workloads/trace_files/canonical_trace.h"
#include "workloads/trace_files/trace_data.h"

namespace harness {
namespace {

/// Checks the contract of TraceData.
void check(const TraceData& trace) {
  const bool in_order = std::is_sorted(trace.times_ns.begin(), trace.times_ns.end());
  if (!in_order || (!trace.times_ns.empty() && trace.times_ns.front() < 0)) std::abort();
  if (!std::isfinite(trace.bin_s) || trace.bin_s <= 0) std::abort();
  for (const double count : trace.counts) {
    if (!std::isfinite(count) || count < 0) std::abort();
  }
  if (!trace.tokens.empty() && trace.tokens.size() != trace.times_ns.size()) std::abort();
  for (const std::int32_t place : trace.module_of) {
    if (place < 0 || static_cast<std::size_t>(place) >= trace.modules.size()) std::abort();
  }
}

/// Gives the file the checksum of its numbers if it has one, which no fuzzer finds.
std::string with_checksum(std::string bytes) {
  const std::size_t end = bytes.find("\n---\n");
  const std::size_t at = bytes.find("\nsha256 = \"");
  if (end == std::string::npos || at == std::string::npos || at > end) return bytes;
  const std::size_t begin = at + std::string_view("\nsha256 = \"").size();
  const std::size_t close = bytes.find('"', begin);
  if (close == std::string::npos) return bytes;
  return bytes.replace(begin, close - begin, sha256_of(std::string_view(bytes).substr(end + 5)));
}

void read_any(const std::uint8_t* data, std::size_t size) {
  static const int kFile = ::memfd_create("trace", 0);
  static const std::string kPath = "/proc/self/fd/" + std::to_string(kFile);
  const std::string bytes = with_checksum(std::string(reinterpret_cast<const char*>(data), size));
  if (::ftruncate(kFile, 0) != 0 || ::pwrite(kFile, bytes.data(), bytes.size(), 0) < 0) std::abort();
  accepts(kPath, [] { check(read_canonical_trace(kPath)); });
}

}  // namespace
}  // namespace harness

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  harness::read_any(data, size);
  return 0;
}
