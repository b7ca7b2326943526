// The lines of `harness replay`.
#pragma once

#include <span>
#include <string>

#include "harness/engine/replay.h"
#include "harness/record/run_record.h"

namespace harness {

/// How many cells and domains of those that were compared differ.
struct ReplayTally {
  std::uint64_t cells = 0;
  std::uint64_t cells_differing = 0;
  std::uint64_t domains_differing = 0;
  ReplayCounts counts;
};

/// "1,234,567".
std::string grouped(std::uint64_t count);
/// "1 cell", "12 cells".
std::string several(std::uint64_t count, const char* what);
/// "12 cells, 96 domains, 1,234,567 callbacks, 2,345,678 decisions: none differs", or how many do.
std::string tally_text(const ReplayTally& tally);
/// Where it is, and both sides, called `before` and `after`.
std::string difference_text(const ReplayDifference& difference, const std::string& served,
                            const std::string& before, const std::string& after);

/// The earliest of two, if any; of two at one time that of the lower domain.
void keep_earlier(std::optional<ReplayDifference>& first, std::optional<ReplayDifference> other);

/// The first row that differs, of both cells' visits in order of their ends; empty when none does.
std::string visit_difference_text(std::vector<VisitRow> before, std::vector<VisitRow> after,
                                  std::span<const std::string> modules);

}  // namespace harness
