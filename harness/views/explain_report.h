// The output of `harness explain`: the same facts as sentences and as JSON (docs/commands.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/views/explain_moment.h"
#include "harness/views/explain_request.h"
#include "harness/views/explain_rows.h"
#include "harness/views/explain_times.h"

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

/// The largest number of batches, and of requests, that the text shows of a moment. Every line of the text is
/// short.
inline constexpr std::size_t kMaxShown = 20;
std::string explanation_text(const Explanation& explanation);
std::string explanation_json(const Explanation& explanation);

/// Returns what the file does not hold, with the key that would record it, and what could not be made again.
std::vector<std::string> explanation_notes(const Explanation& explanation);

// These names and words are for both.

const char* name_of(LostTime::What what);
/// Returns words such as "the system estimated that it would end late".
const char* words_of(DropReason reason);

}  // namespace harness
