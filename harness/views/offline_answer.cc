#include "harness/views/offline_answer.h"

#include <algorithm>

#include "harness/engine/bounds/offline_schedule.h"

namespace harness {

OfflineAnswer offline_answer(const RunSpec& spec, const RunRecord& record,
                             const std::vector<std::uint64_t>& requests) {
  OfflineAnswer answer;
  answer.why_none = why_no_offline_schedule(spec, record);
  if (!answer.why_none.empty()) return answer;
  std::vector<ScheduledVisit> visits;
  answer.in_time = offline_schedule(spec, record, &visits);
  const auto place = [](const ScheduledVisit& visit, std::uint64_t request) {
    return visit.request < request;
  };
  for (const std::uint64_t request : requests) {
    auto visit = std::lower_bound(visits.begin(), visits.end(), request, place);
    for (; visit != visits.end() && visit->request == request; ++visit)
      answer.end_ns[request] = std::max(answer.end_ns[request], visit->end_ns);
  }
  return answer;
}

}  // namespace harness
