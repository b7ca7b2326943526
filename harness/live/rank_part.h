// What a rank of a live run sends rank 0 at its end: its part of the books and what it did.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/record/run_record.h"

namespace harness {

struct RankPart {
  RunRecord books;  ///< arrivals, starts and the like, replay logs; not the ends of requests
  RankTotals totals;
  std::vector<std::string> notes;  ///< as RunRecord::notes
};

std::vector<std::byte> pack(const RankPart& part);
/// Throws EnvironmentError when `bytes` is no whole part.
RankPart unpack_part(std::span<const std::byte> bytes);

}  // namespace harness
