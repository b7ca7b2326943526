#include "harness/views/explanation.h"

namespace harness {

std::vector<std::string> explanation_notes(const Explanation& explanation) {
  const CellContents& cell = explanation.rows.cell();
  std::vector<std::string> notes;
  if (cell.summary.status == "invalid") notes.push_back("the cell is invalid: " + cell.summary.why);
  const bool kept = cell.summary.cell.effective_toml.find("\nstates = true\n") != std::string::npos;
  if (cell.record.states.names.empty()) {
    notes.emplace_back(kept ? "the system publishes no states that have names"
                            : "no published states: [record] states = true keeps them, of systems whose "
                              "controllers publish any");
  }
  if (has_preempted(cell))
    notes.emplace_back(
        "batches were preempted: their visits waited again, and only their last batch has rows");
  if (!explanation.requests.empty() && !explanation.times.least)
    notes.push_back("no least times and no offline schedule: " + explanation.times.why_none);
  if (explanation.times.may_be_shorter)
    notes.emplace_back("least times are by the profiles: with jitter, or live, batches may be shorter");
  return notes;
}

}  // namespace harness
