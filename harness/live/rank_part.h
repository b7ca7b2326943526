// What a rank of a live run sends rank 0 at its end: its part of the books and what it did.
#pragma once

#include <string>
#include <vector>

#include "harness/core/archive.h"
#include "harness/record/run_record.h"

namespace harness {

struct RankPart {
  RunRecord books;  ///< arrivals, starts and the like, replay logs; not the ends of requests
  RankTotals totals;
  std::vector<std::string> notes;  ///< as RunRecord::notes
};

template <class Way>
void code(Archive<Way>& archive, LatencyHistogram& histogram) {
  std::vector<std::uint64_t> counts = histogram.counts();
  archive.list(counts);
  if constexpr (Way::kReads) histogram.add_all(counts);
}

template <class Way>
void code(Archive<Way>& archive, RankPart& part) {
  const auto column = [&](const char*, auto& value) { archive.value(value); };
  RankTotals::list(part.totals, column);
  archive.list(part.notes);
  archive.value(part.books.exchanged_bytes);
  archive.value(part.books.fingerprint);
  archive.list(part.books.modules, [&](ModuleTotals& totals) {  // what the queue domains' books hold
    archive.value(totals.arrived);
    archive.value(totals.batches);
    archive.value(totals.queueing_ns);
    archive.value(totals.wait_ns);
    code(archive, totals.queueing_delay);
    code(archive, totals.batch_wait);
  });
  archive.list(part.books.module_windows, [&](ModuleWindow& row) { ModuleWindow::list(row, column); });
  archive.list(part.books.replay, [&](ReplayLog& log) { code(archive, log); });
}

}  // namespace harness
