// The results files on which claims rest.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/claims/claim.h"
#include "harness/claims/judgement.h"
#include "harness/claims/result_rows.h"

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
  /// Judges the claim: by all looks at its experiments if it is one of those to be decided, else by their own
  /// results with the whole error. It is not run if results of one are missing.
  Judgement judged(const Claim& claim);
  /// Adds the claims to those that are to be decided, and keeps their ids in the folder of looks.
  void decide(const std::vector<Claim>& claims);
  /// Returns the folder of the results of later looks, which need not exist.
  std::string folder_of_looks() const;
  /// Forgets what was read of later looks: their files have changed.
  void read_again();

  /// Returns the path of the experiment's results.
  std::string path_of(const std::string& stem) const;
  /// Returns the path that the results of a later look at the experiment have: look 2 is the first one.
  std::string path_of(const std::string& stem, std::size_t look) const;
  /// Returns the rows of the experiment's own results; empty without results.
  const std::vector<ResultRow>& rows_of(const std::string& stem);

 private:
  using Looks = std::vector<std::vector<ResultRow>>;

  std::vector<ResultRow> read(const std::string& stem, const std::string& path) const;
  /// Returns the experiment's rows by look; null if there are no results.
  const Looks* looks_of(const std::string& stem);

  std::string folder_;
  std::map<std::string, std::string> files_;         ///< paths by stem; empty: all in `folder_`
  std::set<std::string> with_plans_, with_minutes_;  ///< stems of which some claim reads plans or minutes
  std::set<std::string> to_decide_;                  ///< ids of the claims that are judged by looks
  std::map<std::string, Looks> looks_;
};

}  // namespace harness
