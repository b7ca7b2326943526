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
  check_worlds(plan);
  return plan;
}

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
  void run_stage(const std::string& stage, const Points& points, const FitWorld& world);
  std::size_t print_cells(const std::string& what, const Points& points, const FitWorld& world) const;
  void search();
  void refine();
  void descend();
  void confirm();
  void try_points(const std::string& stage, const Points& points, const FitWorld& world);
  void write_stage(const std::string& stage, const Points& points, const FitWorld& world) const;
  Points numbered(const std::vector<FitPoint>& points);
  Points best(std::size_t count) const;
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
  std::vector<const Claim*> claims_;
  std::string folder_;
  // The following are for rank 0.
  std::vector<FitPoint> points_;    ///< all points of the fit, by number
  Points tried_;                    ///< the points tried in the world in which the search is
  std::vector<PointScore> scores_;  ///< their scores
  FitTables tables_;
};

/// Returns the points with their numbers; a point that the fit has not had yet gets the next one.
Points Fit::numbered(const std::vector<FitPoint>& points) {
  Points made;
  for (const FitPoint& point : points) {
    const auto found = std::ranges::find(points_, point);
    made.push_back({static_cast<std::size_t>(found - points_.begin()), point});
    if (found == points_.end()) points_.push_back(point);
  }
  return made;
}

/// Returns the standard point and so many of the best in the world in which the search is.
Points Fit::best(std::size_t count) const {
  Points chosen = {tried_.front()};
  for (const std::size_t place : best_of(objectives(), count)) {
    if (place != 0) chosen.push_back(tried_[place]);
  }
  return chosen;
}

Points design_of(const FitPlan& plan) {
  Points design;
  for (const FitPoint& point : first_points(plan)) design.push_back({design.size(), point});
  return design;
}

/// Throws InputError at the start for what would otherwise fail only once the search has run.
void Fit::check_stages() const {
  check_replaceable_by_fit(path());
  const Points design = design_of(plan_);
  for (const FitWorld& world : plan_.worlds) {
    for (const FitBase& base : plan_.bases) {
      try {
        const std::string text = experiment_text(plan_, base, design, world);
        if (!text.empty()) (void)parse_experiment(base.file, text, {});
      } catch (const InputError& wrong) {
        const std::string what = wrong.what();
        if (what.starts_with(plan_.file + ":")) throw;
        throw input_refusal(base.place, "in " + world.name + ": " + what);
      }
    }
  }
}

void Fit::write_stage(const std::string& stage, const Points& points, const FitWorld& world) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  std::string members;
  for (std::size_t base = 0; base < plan_.bases.size(); ++base) {
    const std::string text = experiment_text(plan_, plan_.bases[base], points, world);
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
void Fit::run_stage(const std::string& stage, const Points& points, const FitWorld& world) {
  on_all_ranks(ranks_, options_.file, [&](RankReport&) {
    if (ranks_.rank() == 0) write_stage(stage, points, world);
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
      for (ResultRow& row : found) {
        name_settings(plan_.bases[base], point.point, row);
        rows[setting][plan_.bases[base].as].push_back(std::move(row));
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
          {number, stage, claims_[claim]->id, name_of(one.verdict), one.is_noisy, one.value, one.score()});
    }
    tables_.points.push_back(row);
    if (number < tables_.settings.size() / plan_.knobs.size()) continue;  // an earlier stage has them
    for (std::size_t knob = 0; knob < plan_.knobs.size(); ++knob) {
      const std::size_t value = points[i].point[knob];
      tables_.settings.push_back({number, plan_.knobs[knob].name, plan_.knobs[knob].values[value].name,
                                  is_active(plan_, knob, points[i].point),
                                  value == plan_.knobs[knob].standard});
    }
  }
}

/// Called by all ranks. Only rank 0 knows the scores, and from them the points of the next stage, which the
/// others find in the files.
void Fit::try_points(const std::string& stage, const Points& points, const FitWorld& world) {
  run_stage(stage, points, world);
  if (ranks_.rank() != 0) return;
  const std::vector<PointScore> scores = scores_of(stage, points);
  keep(stage.starts_with("descent") ? "descent" : stage, points, scores);
  tried_.insert(tried_.end(), points.begin(), points.end());
  scores_.insert(scores_.end(), scores.begin(), scores.end());
}

/// Called by all ranks.
void Fit::search() {
  try_points("design", numbered(ranks_.rank() == 0 ? first_points(plan_) : std::vector<FitPoint>{}),
             plan_.worlds.front());
  if (last_of_search(plan_) > 0) refine();
  descend();
}

/// Called by all ranks.
void Fit::refine() {
  Points points;
  if (ranks_.rank() == 0) points = best(plan_.best);
  tried_.clear();
  scores_.clear();
  const FitWorld& world = plan_.worlds[last_of_search(plan_)];
  try_points(world.name, points, world);
}

/// Called by all ranks.
void Fit::descend() {
  Descent descent(plan_);
  for (int round = 1;; ++round) {
    Points next;
    if (ranks_.rank() == 0) {
      std::vector<FitPoint> tried;
      for (const NumberedPoint& each : tried_) tried.push_back(each.point);
      next = numbered(descent.next(tried, objectives()));
    }
    if (ranks_.share(static_cast<int>(next.size())) == 0) return;
    try_points("descent-" + std::to_string(round), next, plan_.worlds[last_of_search(plan_)]);
  }
}

/// Called by all ranks.
void Fit::confirm() {
  const Points points = ranks_.rank() == 0 ? best(plan_.confirmed) : Points{};
  for (const FitWorld& world : plan_.worlds) {
    if (world.purpose != FitPurpose::kConfirm) continue;
    run_stage(world.name, points, world);
    if (ranks_.rank() == 0) keep(world.name, points, scores_of(world.name, points));
  }
}

int Fit::run() {
  search();
  confirm();
  if (ranks_.rank() != 0) return kAllWell;
  tables_.plan = plan_.text;
  write_fit(path(), tables_);
  std::fputs(fit_text(plan_, claims_, tables_).c_str(), stdout);
  std::printf("%s\n", path().c_str());
  return kAllWell;
}

int Fit::dry_run() const {
  if (ranks_.rank() != 0) return kAllWell;
  const Points points = design_of(plan_);
  const std::string more = plan_.moves > 0 ? ", at most " + std::to_string(plan_.moves) + " more" : "";
  std::printf("%s: %s, %zu points in the design%s; %zu claims score:\n", plan_.name.c_str(),
              counted(plan_.knobs.size(), "knob").c_str(), points.size(), more.c_str(), claims_.size());
  for (const Claim* claim : claims_) std::printf("  %s\n", claim->id.c_str());
  const std::size_t of_design = print_cells("design", points, plan_.worlds.front());
  std::size_t of_point = of_design / points.size();
  for (std::size_t world = 1; world < plan_.worlds.size(); ++world) {
    const std::size_t of_one =
        print_cells(plan_.worlds[world].name + " of one point", {points.front()}, plan_.worlds[world]);
    if (world == last_of_search(plan_)) of_point = of_one;
  }
  if (plan_.moves > 0) std::printf("descent: about %zu cells for each of its points\n", of_point);
  return kAllWell;
}

/// Prints a line for each base that the stage runs, and their sum, which it returns.
std::size_t Fit::print_cells(const std::string& what, const Points& points, const FitWorld& world) const {
  std::size_t cells = 0;
  for (std::size_t base = 0; base < plan_.bases.size(); ++base) {
    const std::string text = experiment_text(plan_, plan_.bases[base], points, world);
    if (text.empty()) continue;
    const ExperimentSpec spec = parse_experiment(file_of("dry", base, ".toml"), text, {});
    const std::size_t of_base = CellFactory(spec, "").cells().size();
    std::printf("%s, %s as %s: %s\n", what.c_str(), plan_.bases[base].file.c_str(),
                plan_.bases[base].as.c_str(), counted(of_base, "cell").c_str());
    cells += of_base;
  }
  std::printf("%s: %s\n", what.c_str(), counted(cells, "cell").c_str());
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
