// The results files on which claims rest.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/claims/claim.h"
#include "harness/claims/judgement.h"
#include "harness/claims/result_rows.h"
#include "harness/decide/decision_state.h"
#include "harness/record/hdf5/provenance.h"

namespace harness {

/// The rows of results files by the experiment's name (the stem of the file) and look. Each file is read
/// once.
class ClaimResults {
 public:
  /// Experiments are looked for in `folder` when a claim asks for them or, with `files`, in these alone.
  /// Reads plans and minutes where some claim needs them. Throws InputError for two files of one name.
  ClaimResults(const std::string& folder, const std::vector<std::string>& files,
               const std::vector<Claim>& claims);

  /// True if the claim is to be judged: every claim without files, else the claims that rest on one of them.
  bool concern(const Claim& claim) const;
  /// Judges the claim: by looks at its experiments if decisions on it are kept in the folder, else by their
  /// own results with the whole error. It is not run if results of one are missing.
  Judgement judged(const Claim& claim);
  /// Judges the claim by the first `looks` looks. Its results must exist.
  Judgement judged_by_looks(const Claim& claim, std::size_t looks);
  /// True if decisions on the claim are kept, but it or the results that it rests on have changed since.
  bool is_stale(const Claim& claim);
  /// Returns fingerprint_of() the claim; "" if results that it rests on are missing.
  std::string fingerprint(const Claim& claim);
  /// Returns the origin of the experiment's results, which must exist.
  const Provenance& origin_of(const std::string& stem);

  /// Returns the folder of decisions and of the results of later looks, which need not exist.
  std::string folder_of_looks() const { return folder_ + "/decide"; }
  /// Returns the path of the experiment's results.
  std::string path_of(const std::string& stem) const;
  /// Returns the path that the results of a later look at the experiment have: look 2 is the first one.
  std::string path_of(const std::string& stem, std::size_t look) const;
  /// Returns the rows of the experiment's own results; empty without results.
  const std::vector<ResultRow>& rows_of(const std::string& stem);

 private:
  std::vector<ResultRow> read(const std::string& stem, const std::string& path) const;
  /// Returns what a look added to the rows on which the claim rests.
  std::vector<ResultRow> rows_at(const Claim& claim, std::size_t look);
  /// Returns the experiment's rows of a look; null if there are no results.
  const std::vector<ResultRow>* rows_of(const std::string& stem, std::size_t look);

  std::string folder_;
  std::map<std::string, std::string> files_;         ///< paths by stem; empty: all in `folder_`
  std::set<std::string> with_plans_, with_minutes_;  ///< stems of which some claim reads plans or minutes
  std::optional<DecisionState> decisions_;           ///< decisions that are kept in the folder
  std::map<std::string, Provenance> origins_;        ///< origins of results that were asked for, by stem
  std::map<std::pair<std::string, std::size_t>, std::vector<ResultRow>> rows_;  ///< rows by stem and look
};

}  // namespace harness
