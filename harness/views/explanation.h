// What `harness explain` was asked for and found: the same facts as sentences (explanation_text.h) and as
// JSON (explanation_json.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/views/cell_times.h"
#include "harness/views/explain_moment.h"
#include "harness/views/explain_request.h"
#include "harness/views/explain_rows.h"

namespace harness {

/// The requests and the moment of one cell that were asked for.
struct Explanation {
  explicit Explanation(const ExplainRows& cell_rows) : rows(cell_rows) {}

  const ExplainRows& rows;
  CellTimes times;
  std::string choice;  ///< chosen requests in words: "the first 5 of 12 that were ..."; empty: named ones
  std::vector<RequestFacts> requests;
  std::optional<MomentFacts> moment;
};

/// Returns what the file does not hold, with the key that would record it, and what could not be made again.
std::vector<std::string> explanation_notes(const Explanation& explanation);

}  // namespace harness
