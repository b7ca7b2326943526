#include "harness/decide/claim_results.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "harness/core/input_error.h"
#include "harness/record/hdf5/cv_table.h"
#include "harness/record/hdf5/results_file.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

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
    rows_[{stem, 1}] = read(stem, path);
  }
  if (files.empty()) decisions_ = read_decisions(folder_of_looks());
}

bool ClaimResults::concern(const Claim& claim) const {
  return files_.empty() || std::any_of(claim.experiments.begin(), claim.experiments.end(),
                                       [&](const std::string& stem) { return files_.count(stem) > 0; });
}

const Provenance& ClaimResults::origin_of(const std::string& stem) {
  const auto found = origins_.find(stem);
  return found != origins_.end() ? found->second
                                 : origins_.emplace(stem, read_provenance(path_of(stem))).first->second;
}

std::string ClaimResults::fingerprint(const Claim& claim) {
  std::vector<Provenance> origins;
  for (const std::string& stem : claim.experiments) {
    if (!exists(path_of(stem))) return "";
    if (!is_cv_table(path_of(stem))) origins.push_back(origin_of(stem));
  }
  return fingerprint_of(claim, origins);
}

bool ClaimResults::is_stale(const Claim& claim) {
  if (!decisions_) return false;
  const auto kept = decisions_->claims.find(claim.id);
  return kept != decisions_->claims.end() && kept->second != fingerprint(claim);
}

Judgement ClaimResults::judged(const Claim& claim) {
  for (const std::string& stem : claim.experiments) {
    if (rows_of(stem, 1) != nullptr) continue;
    Judgement judgement;
    judgement.claim = &claim;
    judgement.without_results = true;
    judgement.missing.push_back(files_.empty() ? path_of(stem) + " is missing"
                                               : "no results of " + stem + " were given");
    return judgement;
  }
  const bool by_looks = decisions_ && decisions_->claims.count(claim.id) > 0 && !is_stale(claim);
  return by_looks ? judged_by_looks(claim, decisions_->looks) : judge(claim, rows_at(claim, 1));
}

Judgement ClaimResults::judged_by_looks(const Claim& claim, std::size_t looks) {
  std::vector<std::vector<ResultRow>> rows;
  for (std::size_t look = 1; look <= looks; ++look) rows.push_back(rows_at(claim, look));
  return judge_looks(claim, rows);
}

std::vector<ResultRow> ClaimResults::rows_at(const Claim& claim, std::size_t look) {
  std::vector<ResultRow> rows;
  for (const std::string& stem : claim.experiments) {
    if (const std::vector<ResultRow>* of_stem = rows_of(stem, look))
      rows.insert(rows.end(), of_stem->begin(), of_stem->end());
  }
  return rows;
}

std::string ClaimResults::path_of(const std::string& stem) const {
  const auto given = files_.find(stem);
  return given != files_.end() ? given->second : folder_ + "/" + stem + ".h5";
}

std::string ClaimResults::path_of(const std::string& stem, std::size_t look) const {
  return folder_of_looks() + "/" + stem + "-" + std::to_string(look) + ".h5";
}

const std::vector<ResultRow>& ClaimResults::rows_of(const std::string& stem) {
  static const std::vector<ResultRow> kNoRows;
  const std::vector<ResultRow>* rows = rows_of(stem, 1);
  return rows == nullptr ? kNoRows : *rows;
}

std::vector<ResultRow> ClaimResults::read(const std::string& stem, const std::string& path) const {
  if (is_cv_table(path)) return rows_of_cv(stem, read_cv_table(path));
  CellDetails details;
  if (with_plans_.count(stem) > 0) details.plans = read_start_plans(path);
  if (with_minutes_.count(stem) > 0) details.minutes = read_minutes(path);
  return result_rows(stem, read_summary(path), details);
}

const std::vector<ResultRow>* ClaimResults::rows_of(const std::string& stem, std::size_t look) {
  const auto found = rows_.find({stem, look});
  if (found != rows_.end()) return &found->second;
  const std::string path = look == 1 ? path_of(stem) : path_of(stem, look);
  if (!files_.empty() || !exists(path)) return nullptr;
  std::vector<ResultRow>& rows = rows_[{stem, look}] = read(stem, path);
  if (look > 1) {
    for (ResultRow& row : rows)
      row.fields.emplace(kResultsField, FieldValue{fs::path(path).stem().string(), {}});
  }
  return &rows;
}

}  // namespace harness
