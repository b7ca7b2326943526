// The report that a rank of a live run sends rank 0 at its end: its part of the accounting and what it did.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/archive.h"
#include "harness/record/run/latency_histogram.h"
#include "harness/record/run/module_totals.h"
#include "harness/record/run/module_window.h"
#include "harness/record/run/rank_totals.h"
#include "harness/record/run/replay_log.h"
#include "harness/record/run/run_record.h"

namespace harness {

struct RankRecord {
  RunRecord accounting;  ///< arrivals, starts and the like, replay logs; not the ends of requests
  RankTotals totals;
  std::vector<std::string> notes;  ///< notes for RunRecord::notes
};

template <class Way>
void code(Archive<Way>& archive, LatencyHistogram& histogram) {
  std::vector<std::uint64_t> counts = histogram.counts();
  archive.list(counts);
  if constexpr (Way::kReads) histogram.add_all(counts);
}

template <class Way>
void code(Archive<Way>& archive, RankRecord& record) {
  const auto column = [&](const char*, auto& value) { archive.value(value); };
  RankTotals::list(record.totals, column);
  archive.list(record.notes);
  archive.value(record.accounting.exchanged_bytes);
  archive.value(record.accounting.fingerprint);
  archive.list(record.accounting.modules, [&](ModuleTotals& totals) {  // what the queues' accounting holds
    ModuleTotals::sums_of_queues(totals, totals, [&](auto& sum, const auto&) { archive.value(sum); });
    code(archive, totals.queueing_delay);
    code(archive, totals.batch_wait);
  });
  archive.list(record.accounting.queue_samples);
  archive.list(record.accounting.module_windows, [&](ModuleWindow& row) { ModuleWindow::list(row, column); });
  archive.list(record.accounting.replay, [&](ReplayLog& log) { code(archive, log); });
}

}  // namespace harness
