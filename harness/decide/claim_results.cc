#include "harness/decide/claim_results.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "harness/core/input_error.h"
#include "harness/files/file_bytes.h"
#include "harness/record/hdf5/cv_table.h"
#include "harness/record/hdf5/results_file.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIds = "/claims.txt";  ///< file with the ids of the claims that are to be decided

/// Returns the rows of a file of `harness trace cv`, one for each of its lines.
std::vector<ResultRow> rows_of_cv(const std::string& stem, const CvTable& table) {
  std::vector<ResultRow> rows;
  for (const CvRow& line : table.rows) {
    ResultRow& row = rows.emplace_back();
    row.fields.emplace("experiment", FieldValue{stem, std::nullopt});
    row.fields.emplace("seed", field_value(static_cast<double>(table.seed)));
    add_fields(line, row);
  }
  return rows;
}

/// Throws InputError unless the look was made by the program that made the experiment's own results.
void check_same_program(const std::string& own, const std::string& look) {
  const Provenance of_own = read_provenance(own);
  const Provenance of_look = read_provenance(look);
  if (of_own.git_commit == of_look.git_commit && of_own.versions == of_look.versions) return;
  throw input_error({look, 0, ""}, "results of another build than those of " + own,
                    "one build: remove the folder " + fs::path(look).parent_path().string() +
                        " and run `harness claims --decide`");
}

bool exists(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

}  // namespace

ClaimResults::ClaimResults(const std::string& folder, const std::vector<std::string>& files,
                           const std::vector<Claim>& claims)
    : folder_(folder) {
  for (const Claim& claim : claims) {
    if (reads_plans(claim.expression)) with_plans_.insert(claim.experiments.begin(), claim.experiments.end());
    if (reads_minutes(claim.expression))
      with_minutes_.insert(claim.experiments.begin(), claim.experiments.end());
  }
  for (const std::string& path : files) {
    const std::string stem = fs::path(path).stem().string();
    if (!files_.emplace(stem, path).second)
      throw input_error({path, 0, ""}, "a second file for " + stem, "one results file of each name");
    looks_[stem].push_back(read(stem, path));
  }
  if (!exists(folder_of_looks() + kIds)) return;
  std::istringstream ids(read_file(folder_of_looks() + kIds));
  for (std::string id; std::getline(ids, id);) to_decide_.insert(id);
}

void ClaimResults::decide(const std::vector<Claim>& claims) {
  std::error_code error;
  fs::create_directories(folder_of_looks(), error);
  for (const Claim& claim : claims) to_decide_.insert(claim.id);
  std::string text;
  for (const std::string& id : to_decide_) text += id + "\n";
  write_file(folder_of_looks() + kIds, text);
}

bool ClaimResults::concern(const Claim& claim) const {
  return files_.empty() || std::any_of(claim.experiments.begin(), claim.experiments.end(),
                                       [&](const std::string& stem) { return files_.count(stem) > 0; });
}

Judgement ClaimResults::judged(const Claim& claim) {
  Looks looks;
  for (const std::string& stem : claim.experiments) {
    const Looks* of_stem = looks_of(stem);
    if (of_stem == nullptr) {
      Judgement judgement;
      judgement.claim = &claim;
      judgement.without_results = true;
      judgement.missing.push_back(files_.empty() ? path_of(stem) + " is missing"
                                                 : "no results of " + stem + " were given");
      return judgement;
    }
    looks.resize(std::max(looks.size(), of_stem->size()));
    for (std::size_t look = 0; look < of_stem->size(); ++look)
      looks[look].insert(looks[look].end(), (*of_stem)[look].begin(), (*of_stem)[look].end());
  }
  return to_decide_.count(claim.id) > 0 ? judge_looks(claim, looks) : judge(claim, looks.front());
}

void ClaimResults::read_again() {
  for (auto& [stem, looks] : looks_) looks.resize(1);
}

std::string ClaimResults::path_of(const std::string& stem) const {
  const auto given = files_.find(stem);
  return given != files_.end() ? given->second : folder_ + "/" + stem + ".h5";
}

std::string ClaimResults::folder_of_looks() const {
  const std::string folder =
      files_.empty() ? folder_ : fs::path(files_.begin()->second).parent_path().string();
  return (fs::path(folder) / "decide").string();
}

std::string ClaimResults::path_of(const std::string& stem, std::size_t look) const {
  return folder_of_looks() + "/" + stem + "-" + std::to_string(look) + ".h5";
}

const std::vector<ResultRow>& ClaimResults::rows_of(const std::string& stem) {
  static const std::vector<ResultRow> kNoRows;
  const Looks* looks = looks_of(stem);
  return looks == nullptr ? kNoRows : looks->front();
}

std::vector<ResultRow> ClaimResults::read(const std::string& stem, const std::string& path) const {
  if (is_cv_table(path)) return rows_of_cv(stem, read_cv_table(path));
  CellDetails details;
  if (with_plans_.count(stem) > 0) details.plans = read_start_plans(path);
  if (with_minutes_.count(stem) > 0) details.minutes = read_minutes(path);
  return result_rows(stem, read_summary(path), details);
}

const ClaimResults::Looks* ClaimResults::looks_of(const std::string& stem) {
  Looks& looks = looks_[stem];
  if (looks.empty()) {
    if (!files_.empty() || !exists(path_of(stem))) return nullptr;
    looks.push_back(read(stem, path_of(stem)));
  }
  while (looks.size() < kLookShares.size()) {
    const std::string path = path_of(stem, looks.size() + 1);
    if (!exists(path)) break;
    check_same_program(path_of(stem), path);
    std::vector<ResultRow>& rows = looks.emplace_back(read(stem, path));
    for (ResultRow& row : rows)
      row.fields.emplace(kResultsField, FieldValue{fs::path(path).stem().string(), {}});
  }
  return &looks;
}

}  // namespace harness
