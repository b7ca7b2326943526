// Counts of requests by their outcomes.
#pragma once

#include <cstdint>
#include <string>

namespace harness {

/// The outcomes of some requests; the rest of `sent` was unfinished.
struct RequestCounts {
  std::uint64_t sent = 0;
  std::uint64_t in_time = 0;
  std::uint64_t late = 0;
  std::uint64_t dropped = 0;
};

/// The outcomes of the requests that enter at one module of one cell.
struct EntryCounts {
  std::uint32_t cell = 0;  ///< index of the cell
  std::string module;      ///< name of the module
  RequestCounts requests;
};

}  // namespace harness
