#include "harness/fit/run_fit.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "harness/core/exit_codes.h"
#include "harness/core/wording.h"
#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/running/driver.h"
#include "harness/experiment/running/run_options.h"
#include "harness/files/file_bytes.h"
#include "harness/fit/descent.h"
#include "harness/fit/first_points.h"
#include "harness/fit/fit_plan.h"
#include "harness/fit/fit_report.h"
#include "harness/fit/generated_experiments.h"
#include "harness/fit/point_score.h"
#include "harness/fit/scored_claim.h"
#include "harness/ranks/cell_distribution.h"
#include "harness/ranks/on_all_ranks.h"
#include "harness/ranks/rank_report.h"
#include "harness/record/hdf5/fit_tables.h"
#include "harness/record/hdf5/results_file.h"
#include "systems/all_systems.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

Vocabulary vocabulary() {
  Vocabulary vocabulary;
  for (const SystemEntry& entry : all_systems()) vocabulary.systems.emplace_back(entry.name);
  return vocabulary;
}

FitPlan checked(FitPlan plan) {
  check_experiments(plan);
  return plan;
}

constexpr const char* kConfirm = "confirm";
using Points = std::vector<NumberedPoint>;

class Fit {
 public:
  Fit(const FitRun& options, CellDistribution& ranks)
      : options_(options),
        ranks_(ranks),
        plan_(checked(parse_fit(options.file, read_file(options.file)))),
        all_claims_(parse_claims_file(plan_.claims_file,
                                      read_file(plan_.claims_file, kLargestText, plan_.claims_file_place),
                                      vocabulary())),
        claims_(scored_claims(plan_, all_claims_)),
        folder_(options.folder + "/" + plan_.name + ".fit") {
    check_stages();
  }

  int dry_run() const;
  int run();

 private:
  void run_stage(const std::string& stage, const Points& points, bool confirms);
  std::size_t print_cells(const char* stage, const Points& points, bool confirms) const;
  void search();
  void confirm();
  void write_stage(const std::string& stage, const Points& points, bool confirms) const;
  void name_settings(const FitBase& base, const FitPoint& point, ResultRow& row) const;
  std::vector<PointScore> scores_of(const std::string& stage, const Points& points) const;
  void keep(const std::string& stage, const Points& points, const std::vector<PointScore>& scores);
  std::string file_of(const std::string& stage, std::size_t base, const char* ending) const {
    return folder_ + "/" + stage + "-" + std::to_string(base) + "-" + plan_.bases[base].as + ending;
  }

  std::string suite_of(const std::string& stage) const { return folder_ + "/" + stage + ".toml"; }
  /// Returns the objectives of all points tried, in order.
  std::vector<double> objectives() const {
    std::vector<double> all;
    for (const PointScore& score : scores_) all.push_back(score.objective());
    return all;
  }

  std::string path() const { return options_.folder + "/" + plan_.name + ".h5"; }
  void check_stages() const;

  const FitRun& options_;
  CellDistribution& ranks_;
  FitPlan plan_;
  std::vector<Claim> all_claims_;
  std::vector<ScoredClaim> claims_;
  std::string folder_;
  // The following are for rank 0.
  std::vector<FitPoint> tried_;
  std::vector<PointScore> scores_;
  FitTables tables_;
};

Points numbered(const std::vector<FitPoint>& points, std::size_t first) {
  Points made;
  for (const FitPoint& point : points) made.push_back({first + made.size(), point});
  return made;
}

/// Throws InputError at the start for what would otherwise fail only once the search has run.
void Fit::check_stages() const {
  check_replaceable_by_fit(path());
  const Points design = numbered(first_points(plan_), 0);
  for (const bool confirms : {false, true}) {
    if (confirms && !plan_.confirms) continue;
    for (const FitBase& base : plan_.bases) {
      try {
        const std::string text = experiment_text(plan_, base, design, confirms);
        if (!text.empty()) (void)parse_experiment(base.file, text, {});
      } catch (const InputError& wrong) {
        const std::string what = wrong.what();
        if (what.starts_with(plan_.file + ":")) throw;
        throw input_refusal(base.place,
                            std::string("as ") + (confirms ? "confirmed" : "searched") + ": " + what);
      }
    }
  }
}

void Fit::write_stage(const std::string& stage, const Points& points, bool confirms) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  std::string members;
  for (std::size_t base = 0; base < plan_.bases.size(); ++base) {
    const std::string text = experiment_text(plan_, plan_.bases[base], points, confirms);
    if (text.empty()) continue;
    const std::string file = file_of(stage, base, ".toml");
    write_file(file, text);
    members += "  \"" + fs::path(file).filename().string() + "\",\n";
  }
  write_file(suite_of(stage), "name = \"" + plan_.name + " " + stage + "\"\nsuite = [\n" + members + "]\n");
}

/// Gives the row the settings as fields, as if they had been swept: claims may group by them.
void Fit::name_settings(const FitBase& base, const FitPoint& point, ResultRow& row) const {
  for (std::size_t knob = 0; knob < plan_.knobs.size(); ++knob) {
    if (!is_active(plan_, knob, point)) continue;
    for (const auto& [key, value] : plan_.knobs[knob].values[point[knob]].set) {
      if (std::ranges::find(base.keeps, key) == base.keeps.end())
        row.fields.emplace(key, field_value(text_of(value)));
    }
  }
}

/// Called by all ranks.
void Fit::run_stage(const std::string& stage, const Points& points, bool confirms) {
  on_all_ranks(ranks_, options_.file, [&](RankReport&) {
    if (ranks_.rank() == 0) write_stage(stage, points, confirms);
  });
  RunOptions run;
  run.file = suite_of(stage);
  run.folder = folder_;
  run.fresh = options_.fresh;
  run.progress = options_.progress;
  run_experiment_on(run, ranks_);
}

std::vector<PointScore> Fit::scores_of(const std::string& stage, const Points& points) const {
  std::map<std::string, std::map<std::string, std::vector<ResultRow>>> rows;  // by setting, then name
  for (std::size_t base = 0; base < plan_.bases.size(); ++base) {
    const std::string path = file_of(stage, base, ".h5");
    if (!fs::exists(path)) continue;
    std::map<std::string, std::vector<ResultRow>> by_setting;
    for (ResultRow& row : result_rows(plan_.bases[base].as, read_summary(path)))
      by_setting[row.find("setting")->text].push_back(std::move(row));
    for (const NumberedPoint& point : points) {
      const std::string setting = setting_name(point.number);
      std::vector<ResultRow>& found = by_setting[setting];
      if (!plan_.bases[base].best_metric.empty()) found = best_rows(plan_.bases[base], std::move(found));
      const std::string name = results_name(plan_, plan_.bases[base], point.point);
      for (ResultRow& row : found) {
        row.fields.insert_or_assign("experiment", FieldValue{name, std::nullopt});
        name_settings(plan_.bases[base], point.point, row);
        rows[setting][name].push_back(std::move(row));
      }
    }
  }
  std::vector<PointScore> scores;
  for (const NumberedPoint& point : points)
    scores.push_back(score(plan_, claims_, all_claims_, rows[setting_name(point.number)]));
  return scores;
}

void Fit::keep(const std::string& stage, const Points& points, const std::vector<PointScore>& scores) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto number = static_cast<std::uint32_t>(points[i].number);
    FitPointRow row{number, stage, 0, 0, 0, 0, scores[i].held, scores[i].distance, scores[i].objective()};
    row.judged = static_cast<std::uint32_t>(scores[i].judged);
    for (std::size_t claim = 0; claim < claims_.size(); ++claim) {
      const ClaimScore& one = scores[i].claims[claim];
      row.reproduced += one.verdict == Verdict::kReproduced;
      row.partly += one.verdict == Verdict::kPartly;
      row.noisy += one.is_noisy;
      tables_.verdicts.push_back(
          {number, stage, claims_[claim].id(), name_of(one.verdict), one.is_noisy, one.value, one.score()});
    }
    tables_.points.push_back(row);
    if (stage == kConfirm) continue;  // the settings of its points are there already
    for (std::size_t knob = 0; knob < plan_.knobs.size(); ++knob) {
      const std::size_t value = points[i].point[knob];
      tables_.settings.push_back({number, plan_.knobs[knob].name, plan_.knobs[knob].values[value].name,
                                  is_active(plan_, knob, points[i].point),
                                  value == plan_.knobs[knob].standard});
    }
  }
}

/// Called by all ranks. Only rank 0 knows the scores, and from them the points of the next round, which the
/// others find in the files.
void Fit::search() {
  const bool decides = ranks_.rank() == 0;
  Descent descent(plan_);
  std::vector<FitPoint> next = decides ? first_points(plan_) : std::vector<FitPoint>{};
  for (int round = 0; ranks_.share(static_cast<int>(next.size())) > 0; ++round) {
    const std::string stage = round == 0 ? "design" : "descent-" + std::to_string(round);
    const Points points = numbered(next, tried_.size());
    run_stage(stage, points, false);
    if (!decides) continue;
    const std::vector<PointScore> scores = scores_of(stage, points);
    keep(round == 0 ? "design" : "descent", points, scores);
    tried_.insert(tried_.end(), next.begin(), next.end());
    scores_.insert(scores_.end(), scores.begin(), scores.end());
    next = descent.next(tried_, objectives());
  }
}

void Fit::confirm() {
  Points points;
  if (ranks_.rank() == 0) {
    const std::size_t best = best_of(objectives(), 1).front();
    points.push_back({0, tried_[0]});
    if (best != 0) points.push_back({best, tried_[best]});
  }
  run_stage(kConfirm, points, true);
  if (ranks_.rank() == 0) keep(kConfirm, points, scores_of(kConfirm, points));
}

int Fit::run() {
  search();
  if (plan_.confirms) confirm();
  if (ranks_.rank() != 0) return kAllWell;
  tables_.plan = plan_.text;
  write_fit(path(), tables_);
  std::fputs(fit_text(plan_, claims_, tables_).c_str(), stdout);
  std::printf("%s\n", path().c_str());
  return kAllWell;
}

int Fit::dry_run() const {
  if (ranks_.rank() != 0) return kAllWell;
  const Points points = numbered(first_points(plan_), 0);
  const std::string more = plan_.moves > 0 ? ", at most " + std::to_string(plan_.moves) + " more" : "";
  std::printf("%s: %s, %zu points in the design%s; %zu claims score:\n", plan_.name.c_str(),
              counted(plan_.knobs.size(), "knob").c_str(), points.size(), more.c_str(), claims_.size());
  for (const ScoredClaim& claim : claims_) {
    std::string ids;
    for (const Claim* one : claim.claims) ids += (ids.empty() ? "" : " = ") + one->id;
    std::printf("  %s\n", ids.c_str());
  }
  const std::size_t of_design = print_cells("design", points, false);
  if (plan_.moves > 0)
    std::printf("descent: about %zu cells for each of its points\n", of_design / points.size());
  if (plan_.confirms) (void)print_cells("confirmation of one point", {points.front()}, true);
  return kAllWell;
}

/// Prints a line for each base that the stage runs, and their sum, which it returns.
std::size_t Fit::print_cells(const char* stage, const Points& points, bool confirms) const {
  std::size_t cells = 0;
  for (std::size_t base = 0; base < plan_.bases.size(); ++base) {
    const std::string text = experiment_text(plan_, plan_.bases[base], points, confirms);
    if (text.empty()) continue;
    const ExperimentSpec spec = parse_experiment(file_of(stage, base, ".toml"), text, {});
    const std::size_t of_base = CellFactory(spec, "").cells().size();
    std::printf("%s, %s as %s: %s\n", stage, plan_.bases[base].file.c_str(), plan_.bases[base].as.c_str(),
                counted(of_base, "cell").c_str());
    cells += of_base;
  }
  std::printf("%s: %s\n", stage, counted(cells, "cell").c_str());
  return cells;
}

}  // namespace

int run_fit(const FitRun& options) {
  CellDistribution ranks;
  try {
    Fit fit(options, ranks);
    return options.dry_run ? fit.dry_run() : fit.run();
  } catch (const RankStopped&) {
    return kAllWell;  // rank 0 says what is wrong
  }
}

}  // namespace harness
