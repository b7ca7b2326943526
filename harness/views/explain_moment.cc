#include "harness/views/explain_moment.h"

#include <algorithm>

namespace harness {

MomentFacts explain_moment(const ExplainRows& rows, TimeNs at_ns) {
  MomentFacts moment;
  moment.at_ns = at_ns;
  const std::size_t modules = rows.cell().module_names.size();
  for (std::uint16_t m = 0; m < modules; ++m) {
    MomentFacts::ModuleFacts facts;
    facts.module = m;
    facts.plan = rows.plan_at(m, at_ns);
    facts.waiting = rows.waiting_at(m, at_ns);
    facts.state_row = rows.state_before(m, at_ns);
    for (const RowBatch& batch : rows.batches_at(m, at_ns)) {
      moment.batches.push_back(batch);
      ++facts.batches;
      facts.running += batch.size;
    }
    moment.modules.push_back(facts);
  }
  std::vector<const RequestRow*> there;
  for (const RequestRow& row : rows.cell().requests) {
    if (row.sent_ns <= at_ns && at_ns < row.end_ns) there.push_back(&row);
  }
  std::sort(there.begin(), there.end(),
            [](const RequestRow* a, const RequestRow* b) { return a->request < b->request; });
  moment.requests = there.size();
  for (const RequestRow* request : there) {
    const std::size_t before = moment.standing.size();
    for (const VisitRow* visit : rows.visits_of(request->request)) {
      if (visit->arrived_ns <= at_ns && at_ns < visit->ended_ns) moment.standing.push_back({request, visit});
    }
    if (moment.standing.size() == before) moment.standing.push_back({request, nullptr});
  }
  return moment;
}

}  // namespace harness
