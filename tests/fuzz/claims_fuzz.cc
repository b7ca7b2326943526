// The reader of claims files takes any text, and the claims that it accepts can be judged.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "harness/claims/claim.h"
#include "harness/claims/claims_report.h"
#include "harness/claims/judgement.h"
#include "tests/fuzz/reading.h"

namespace harness {
namespace {

/// Returns results of two systems, with a swept parameter and two seeds.
std::vector<ResultRow> results() {
  std::vector<SummaryRow> rows;
  for (const char* system : {"nexus", "pard"}) {
    for (const std::uint64_t seed : {1, 2}) {
      for (const double lambda : {0.05, 0.1}) {
        SummaryRow row;
        row.cell.system = system;
        row.cell.variant = "default";
        row.cell.pipeline = "lv";
        row.cell.trace = "tweet";
        row.cell.seed = seed;
        row.cell.parameters = lambda > 0.07 ? "pard.lambda=0.1" : "pard.lambda=0.05";
        row["drop_rate"] = lambda * static_cast<double>(seed);
        rows.push_back(row);
      }
    }
  }
  return result_rows("overall", rows);
}

void read_any(std::string_view text) {
  static const std::vector<ResultRow> rows = results();
  accepts("fuzz.toml", [&] {
    const std::vector<Claim> claims = parse_claims_file("fuzz.toml", text, {});
    std::vector<Judgement> judgements;
    for (const Claim& claim : claims) judgements.push_back(judge(claim, rows));
    if (claims_table(judgements).empty() || claims_json(judgements).empty() ||
        claims_junit(judgements).empty())
      std::abort();
  });
}

}  // namespace
}  // namespace harness

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  harness::read_any({reinterpret_cast<const char*>(data), size});
  return 0;
}
