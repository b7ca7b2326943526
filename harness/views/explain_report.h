// What `harness explain` prints: the same facts as sentences and as JSON (docs/commands.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/views/explain_moment.h"
#include "harness/views/explain_request.h"
#include "harness/views/explain_rows.h"
#include "harness/views/explain_times.h"

namespace harness {

/// What was asked for, of one cell.
struct Explanation {
  explicit Explanation(const ExplainRows& cell_rows) : rows(cell_rows) {}

  const ExplainRows& rows;
  CellTimes times;
  std::string
      choice;  ///< which requests these are: "the first 5 of 12 that were ..."; empty: they were named
  std::vector<RequestFacts> requests;
  std::optional<MomentFacts> moment;
};

/// In text every line is short; a moment shows at most `kMostShown` batches and requests.
inline constexpr std::size_t kMostShown = 20;
std::string explanation_text(const Explanation& explanation);
std::string explanation_json(const Explanation& explanation);

/// What the file does not hold, with the key that would record it, and what could not be made again.
std::vector<std::string> explanation_notes(const Explanation& explanation);

// Names and words of both.

const char* name_of(LostTime::What what);
/// "the system estimated that it would end late".
const char* words_of(DropReason reason);

}  // namespace harness
