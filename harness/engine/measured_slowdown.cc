#include "harness/engine/measured_slowdown.h"

#include <algorithm>
#include <utility>

#include "harness/core/check.h"

namespace harness {

std::vector<MeasuredBatch> measured_batches(std::span<const VisitRow> visits,
                                            const std::vector<Profile>& profiles) {
  std::vector<MeasuredBatch> batches;
  for (const VisitRow& visit : visits) {
    const Profile& profile = profiles[visit.module];
    if (visit.outcome != VisitOutcome::kDone || profile.service != Service::kBatch) continue;
    const int size = visit.batch;
    batches.push_back(
        {visit.worker, visit.started_ns, visit.ended_ns, profile.latency(size), visit.module, size});
  }
  const auto place = [](const MeasuredBatch& batch) { return std::pair(batch.worker, batch.started_ns); };
  std::sort(batches.begin(), batches.end(),
            [&](const MeasuredBatch& a, const MeasuredBatch& b) { return place(a) < place(b); });
  const auto same = [&](const MeasuredBatch& a, const MeasuredBatch& b) { return place(a) == place(b); };
  batches.erase(std::unique(batches.begin(), batches.end(), same), batches.end());
  for (std::size_t i = 1; i < batches.size(); ++i) {
    if (batches[i].worker == batches[i - 1].worker)
      batches[i].started_ns = std::max(batches[i].started_ns, batches[i - 1].ended_ns);
  }
  std::erase_if(batches, [](const MeasuredBatch& batch) { return batch.ended_ns <= batch.started_ns; });
  return batches;
}

MeasuredSlowdown::MeasuredSlowdown(const std::vector<MeasuredBatch>& batches) {
  double took_ns = 0;
  double profile_ns = 0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const MeasuredBatch& batch = batches[i];
    HARNESS_CHECK(batch.ended_ns > batch.started_ns && batch.profile_ns > 0, "a batch without duration");
    took_ns += static_cast<double>(batch.ended_ns - batch.started_ns);
    profile_ns += static_cast<double>(batch.profile_ns);
    while (first_.size() <= batch.worker) first_.push_back(pieces_.size());
    TimeNs until_ns = kNever;
    if (i + 1 < batches.size() && batches[i + 1].worker <= batch.worker) {
      const bool follows =
          batches[i + 1].worker == batch.worker && batches[i + 1].started_ns >= batch.ended_ns;
      HARNESS_CHECK(follows, "batches out of order, or two of a worker at once");
      until_ns = batch.ended_ns + (batches[i + 1].started_ns - batch.ended_ns) / 2;
    }
    pieces_.push_back({until_ns, batch.slowdown()});
  }
  first_.push_back(pieces_.size());
  if (profile_ns > 0) usual_.slowdown = took_ns / profile_ns;
}

std::span<const MeasuredSlowdown::Piece> MeasuredSlowdown::pieces_of(WorkerId worker) const {
  if (worker + 1 >= first_.size() || first_[worker] == first_[worker + 1]) return {&usual_, 1};
  return std::span(pieces_).subspan(first_[worker], first_[worker + 1] - first_[worker]);
}

TimeNs MeasuredSlowdown::duration_ns(WorkerId worker, TimeNs now, TimeNs profile_ns) const {
  const std::span<const Piece> pieces = pieces_of(worker);
  auto piece = std::upper_bound(pieces.begin(), pieces.end(), now,
                                [](TimeNs at, const Piece& one) { return at < one.until_ns; });
  auto left = static_cast<double>(profile_ns);
  auto at = static_cast<double>(now);
  for (; piece->until_ns != kNever; ++piece) {
    const double could = (static_cast<double>(piece->until_ns) - at) / piece->slowdown;
    if (could >= left) break;
    left -= could;
    at = static_cast<double>(piece->until_ns);
  }
  const double duration = at - static_cast<double>(now) + left * piece->slowdown;
  return std::max<TimeNs>(1, static_cast<TimeNs>(duration + 0.5));
}

}  // namespace harness
