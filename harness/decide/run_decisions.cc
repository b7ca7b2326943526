#include "harness/decide/run_decisions.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "harness/core/wording.h"
#include "harness/decide/decision_state.h"
#include "harness/decide/more_seeds.h"
#include "harness/experiment/running/driver.h"
#include "harness/experiment/running/run_options.h"
#include "harness/experiment/storing/build_provenance.h"
#include "harness/files/file_bytes.h"
#include "harness/ranks/cell_distribution.h"
#include "harness/ranks/on_all_ranks.h"
#include "harness/ranks/rank_report.h"
#include "harness/record/hdf5/cv_table.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
using Cells = std::set<std::size_t>;

/// True if another look may decide the claim: it is undecided, or some group has one seed.
bool needs_seeds(const Judgement& judgement) {
  return judgement.verdict == Verdict::kUndecided ||
         std::ranges::any_of(judgement.groups,
                             [](const GroupResult& group) { return group.by_seed.size() == 1; });
}

/// Returns the cells that decide the claim, by experiment: of the groups within noise, or of all.
std::map<std::string, Cells> needed_cells(const Judgement& judgement) {
  const bool of_noisy = judgement.claim->combine == Combine::kAll &&
                        std::ranges::any_of(judgement.groups, &GroupResult::within_noise);
  std::map<std::string, Cells> cells;
  for (const GroupResult& group : judgement.groups) {
    if (of_noisy && !group.within_noise && group.by_seed.size() > 1) continue;
    for (const auto& [stem, of_stem] : group.cells) cells[stem].insert(of_stem.begin(), of_stem.end());
  }
  return cells;
}

/// Returns the seeds of a look: as many as there are before it, after the largest.
std::vector<std::uint64_t> seeds_of(const std::vector<ResultRow>& rows, std::size_t look) {
  std::set<std::uint64_t> seeds;
  for (const ResultRow& row : rows) seeds.insert(static_cast<std::uint64_t>(*row.find("seed")->number));
  const std::size_t before = seeds.size() << (look - 2);
  std::vector<std::uint64_t> more;
  for (std::size_t i = 0; i < before; ++i) more.push_back(*seeds.rbegin() + before - seeds.size() + i + 1);
  return more;
}

/// The claims that are decided, on rank 0.
class Decisions {
 public:
  Decisions(const std::vector<Claim>& claims, ClaimResults& results) : claims_(claims), results_(results) {}

  /// Finds the claims that seeds can decide, and what is kept of them. Throws InputError as run_decisions()
  /// does.
  void prepare(bool fresh);
  /// Writes the experiments of a look for the claims that need one, and a suite of them at `suite`. Returns
  /// true if they are to be run.
  bool write_look(std::size_t look, const std::string& suite);
  /// Called when the results of the look are complete.
  void finish_look(std::size_t look);
  std::size_t left_out() const { return left_out_; }

 private:
  bool can_repeat(const std::string& stem);

  const std::vector<Claim>& claims_;
  ClaimResults& results_;
  std::vector<const Claim*> decided_;  ///< claims that are judged by looks
  std::size_t left_out_ = 0;           ///< number of claims with results that seeds cannot decide
  DecisionState state_;
};

/// True if the experiment's cells can be run again from its results alone.
bool Decisions::can_repeat(const std::string& stem) {
  const std::string own = results_.path_of(stem);
  if (is_cv_table(own)) return false;
  const auto is_simulated = [](const ResultRow& row) { return row.find("runtime")->text == "simulated"; };
  return std::ranges::all_of(results_.rows_of(stem), is_simulated) &&
         !names_relative_files(own, results_.origin_of(stem).experiment_toml);
}

void Decisions::prepare(bool fresh) {
  const Provenance now = build_provenance();
  for (const Claim& claim : claims_) {
    const auto exists = [&](const std::string& stem) { return fs::exists(results_.path_of(stem)); };
    if (!std::ranges::all_of(claim.experiments, exists)) continue;
    const auto repeats = [&](const std::string& stem) { return can_repeat(stem); };
    if (!gains_by_seeds(claim) || !std::ranges::all_of(claim.experiments, repeats)) {
      ++left_out_;
      continue;
    }
    for (const std::string& stem : claim.experiments) {
      const Provenance& own = results_.origin_of(stem);
      if (own.git_commit == now.git_commit && own.git_dirty == now.git_dirty && own.versions == now.versions)
        continue;
      throw input_error({results_.path_of(stem), 0, "--decide"},
                        "results of another build (" + own.git_commit + ")",
                        "results of this one (" + now.git_commit +
                            "), which would add the seeds: run the experiment with --fresh");
    }
    decided_.push_back(&claim);
    state_.claims[claim.id] = results_.fingerprint(claim);
  }
  if (fresh) return;
  const std::optional<DecisionState> kept = read_decisions(results_.folder_of_looks());
  if (!kept) return;
  if (kept->claims != state_.claims)
    throw input_error({results_.folder_of_looks(), 0, "--decide"}, "decisions on other claims or results",
                      "--paper, --kind and --id as then, or --fresh to decide anew");
  state_.looks = kept->looks;
}

bool Decisions::write_look(std::size_t look, const std::string& suite) {
  if (look <= state_.looks) return false;
  std::size_t undecided = 0;
  std::map<std::string, Cells> cells;
  for (const Claim* claim : decided_) {
    const Judgement judgement = results_.judged_by_looks(*claim, state_.looks);
    if (judgement.verdict == Verdict::kNotRun || !needs_seeds(judgement)) continue;
    ++undecided;
    for (const auto& [stem, of_claim] : needed_cells(judgement)) {
      if (std::ranges::count(claim->experiments, stem) > 0)
        cells[stem].insert(of_claim.begin(), of_claim.end());
    }
  }
  if (cells.empty()) return false;
  write_decisions(results_.folder_of_looks(), state_);
  std::string members;
  for (const auto& [stem, wanted] : cells) {
    std::vector<const ResultRow*> rows;
    for (const ResultRow& row : results_.rows_of(stem)) {
      if (wanted.count(static_cast<std::size_t>(*row.find("cell")->number)) > 0) rows.push_back(&row);
    }
    const fs::path path = fs::path(results_.path_of(stem, look)).replace_extension(".toml");
    const std::string own = results_.path_of(stem);
    write_file(path.string(), text_with_seeds(own, results_.origin_of(stem).experiment_toml, rows,
                                              seeds_of(results_.rows_of(stem), look)));
    members += "  \"" + path.filename().string() + "\",\n";
  }
  write_file(suite, "name = \"look " + std::to_string(look) + " at " + counted(undecided, "claim") +
                        "\"\nsuite = [\n" + members + "]\n");
  return true;
}

void Decisions::finish_look(std::size_t look) {
  state_.looks = look;
  write_decisions(results_.folder_of_looks(), state_);
}

}  // namespace

std::size_t run_decisions(const std::vector<Claim>& claims, ClaimResults& results, bool fresh,
                          ProgressForm progress) {
  CellDistribution ranks;
  Decisions decisions(claims, results);
  const auto on_first = [&](const std::function<bool()>& work) {
    return on_all_ranks(ranks, "claims", [&](RankReport& report) {
             if (ranks.rank() == 0) report.value = work() ? 1 : 0;
           }) != 0;
  };
  try {
    on_first([&] {
      decisions.prepare(fresh);
      return true;
    });
    for (std::size_t look = 2; look <= kLookShares.size(); ++look) {
      RunOptions run;
      run.folder = results.folder_of_looks();
      run.file = run.folder + "/look-" + std::to_string(look) + ".toml";
      run.progress = progress;
      run.allow_skipped = true;
      run.says_end = false;
      run.fresh = fresh;
      if (!on_first([&] { return decisions.write_look(look, run.file); })) continue;
      run_experiment_on(run, ranks);
      on_first([&] {
        decisions.finish_look(look);
        return true;
      });
    }
  } catch (const RankStopped&) {
    return 0;  // rank 0 says what is wrong
  }
  return decisions.left_out();
}

}  // namespace harness
