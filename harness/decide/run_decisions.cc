#include "harness/decide/run_decisions.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "harness/core/wording.h"
#include "harness/decide/more_seeds.h"
#include "harness/experiment/running/driver.h"
#include "harness/experiment/running/run_options.h"
#include "harness/files/file_bytes.h"
#include "harness/ranks/cell_distribution.h"
#include "harness/ranks/on_all_ranks.h"
#include "harness/ranks/rank_report.h"
#include "harness/record/hdf5/cv_table.h"
#include "harness/record/hdf5/results_file.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
using Cells = std::set<std::size_t>;

/// Returns the cells that decide the claim, by experiment: of the groups within noise, or of all.
std::map<std::string, Cells> needed_cells(const Judgement& judgement) {
  const bool of_noisy = std::ranges::any_of(judgement.groups, &GroupResult::within_noise) &&
                        (judgement.claim->combine == Combine::kAll);
  std::map<std::string, Cells> cells;
  for (const GroupResult& group : judgement.groups) {
    if (of_noisy && !group.within_noise) continue;
    for (const auto& [stem, of_stem] : group.cells) cells[stem].insert(of_stem.begin(), of_stem.end());
  }
  return cells;
}

/// Returns the seeds of a look: as many as there are before it, after the largest.
std::vector<std::uint64_t> seeds_of(const std::vector<ResultRow>& rows, std::size_t look) {
  std::set<std::uint64_t> seeds;
  for (const ResultRow& row : rows) seeds.insert(static_cast<std::uint64_t>(*row.find("seed")->number));
  const std::size_t first = seeds.size() << (look - 2);  // number of seeds before the look
  std::vector<std::uint64_t> more;
  for (std::size_t i = 0; i < first; ++i) more.push_back(*seeds.rbegin() + first - seeds.size() + i + 1);
  return more;
}

/// The claims that are decided, and the results to which it adds looks.
class Decisions {
 public:
  Decisions(const std::vector<Claim>& claims, ClaimResults& results) : claims_(claims), results_(results) {}

  /// Writes the experiments of a look for the claims that need one, and a suite of them at `suite`. Returns
  /// true if there are any.
  bool write_look(std::size_t look, const std::string& suite);

 private:
  std::map<std::string, Cells> needed(std::size_t& undecided);
  std::vector<const ResultRow*> rows_to_repeat(const std::string& stem, const Cells& cells, std::size_t look);

  const std::vector<Claim>& claims_;
  ClaimResults& results_;
};

/// Returns the cells of experiments' own results that undecided claims need, and counts these claims.
std::map<std::string, Cells> Decisions::needed(std::size_t& undecided) {
  std::map<std::string, Cells> cells;
  for (const Claim& claim : claims_) {
    const Judgement judgement = results_.judged(claim);
    if (!needs_seeds(judgement)) continue;
    ++undecided;
    for (const auto& [stem, of_claim] : needed_cells(judgement)) {
      const std::string own = results_.path_of(stem);
      if (fs::exists(own) && !is_cv_table(own)) cells[stem].insert(of_claim.begin(), of_claim.end());
    }
  }
  return cells;
}

/// Returns the rows of these cells, and the rows of whatever has been repeated in that look already.
std::vector<const ResultRow*> Decisions::rows_to_repeat(const std::string& stem, const Cells& cells,
                                                        std::size_t look) {
  const auto identity = [](const ResultRow& row) {
    std::string text;
    for (const char* key : {"system", "variant", "pipeline", "trace"}) text += row.find(key)->text + "\n";
    return text;
  };
  std::set<std::string> repeated;
  const std::string path = results_.path_of(stem, look);
  if (fs::exists(path)) {
    for (const ResultRow& row : result_rows(stem, read_summary(path))) repeated.insert(identity(row));
  }
  std::vector<const ResultRow*> rows;
  for (const ResultRow& row : results_.rows_of(stem)) {
    if (cells.count(static_cast<std::size_t>(*row.find("cell")->number)) > 0 ||
        repeated.count(identity(row)) > 0)
      rows.push_back(&row);
  }
  return rows;
}

bool Decisions::write_look(std::size_t look, const std::string& suite) {
  std::size_t undecided = 0;
  std::string members;
  for (const auto& [stem, cells] : needed(undecided)) {
    const std::string own = results_.path_of(stem);
    const fs::path path = fs::path(results_.path_of(stem, look)).replace_extension(".toml");
    write_file(path.string(),
               text_with_seeds(own, read_provenance(own).experiment_toml, rows_to_repeat(stem, cells, look),
                               seeds_of(results_.rows_of(stem), look)));
    members += "  \"" + path.filename().string() + "\",\n";
  }
  if (members.empty()) return false;
  write_file(suite, "name = \"look " + std::to_string(look) + " at " + counted(undecided, "claim") +
                        "\"\nsuite = [\n" + members + "]\n");
  return true;
}

}  // namespace

bool needs_seeds(const Judgement& judgement) {
  if (judgement.verdict == Verdict::kNotRun || judgement.looks == kLookShares.size()) return false;
  if (judgement.verdict == Verdict::kUndecided) return true;
  return !reduces_over(judgement.claim->expression, "seed") &&
         std::ranges::all_of(judgement.groups,
                             [](const GroupResult& group) { return group.by_seed.size() == 1; });
}

void run_decisions(const std::vector<Claim>& claims, ClaimResults& results, ProgressForm progress) {
  CellDistribution ranks;
  try {
    Decisions decisions(claims, results);
    for (std::size_t look = 2; look <= kLookShares.size(); ++look) {
      RunOptions run;
      run.folder = results.folder_of_looks();
      run.file = run.folder + "/look-" + std::to_string(look) + ".toml";
      run.progress = progress;
      run.allow_skipped = true;
      run.says_end = false;
      const int more = on_all_ranks(ranks, run.file, [&](RankReport& report) {
        if (ranks.rank() != 0) return;
        if (look == 2) results.decide(claims);
        report.value = decisions.write_look(look, run.file) ? 1 : 0;
      });
      if (more == 0) break;
      run_experiment_on(run, ranks);
      results.read_again();
    }
  } catch (const RankStopped&) {
    return;  // rank 0 says what is wrong
  }
}

}  // namespace harness
