#include "harness/experiment/running/measured_cells.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "harness/experiment/running/run_cell.h"
#include "harness/experiment/storing/recorded_cell.h"
#include "harness/record/hdf5/cell_contents.h"
#include "harness/record/hdf5/results_file.h"
#include "harness/sim/simulation.h"

namespace harness {
namespace {

/// Indices of a pipeline in the file and of a module in the pipeline, a batch size, and its latency in the
/// profile.
using SlowdownKey = std::tuple<std::size_t, ModuleId, int, TimeNs>;

/// Returns true if a visit that was done can have been in a run with these profiles.
bool is_possible(const VisitRow& visit, const std::vector<Profile>& profiles) {
  constexpr WorkerId kMaxWorkers = 100'000'000;  // limit that counts workers that took another's place
  if (visit.module >= profiles.size() || visit.worker >= kMaxWorkers) return false;
  const Profile& profile = profiles[visit.module];
  return profile.service != Service::kBatch || (visit.batch >= 1 && visit.batch <= profile.max_batch());
}

/// Collects the slowdowns of batches of one kind.
class SlowdownTally {
 public:
  void add(const MeasuredBatch& batch) {
    slowdowns_.push_back(batch.slowdown());
    took_ns_ += static_cast<double>(batch.ended_ns - batch.started_ns);
    profile_ns_ += static_cast<double>(batch.profile_ns);
  }
  void fill(BatchSlowdown& row) {
    std::sort(slowdowns_.begin(), slowdowns_.end());
    row.batches = slowdowns_.size();
    row.p10 = at(0.1);
    row.p50 = at(0.5);
    row.p90 = at(0.9);
    row.mean = took_ns_ / profile_ns_;
  }

 private:
  double at(double q) const {
    const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(slowdowns_.size())));
    return slowdowns_[rank - 1];
  }

  std::vector<double> slowdowns_;
  double took_ns_ = 0;
  double profile_ns_ = 0;
};

class MeasuredFile {
 public:
  MeasuredFile(const std::string& path, const std::string& folder) : path_(path), folder_(folder) {}

  MeasuredCells run() {
    for (const SummaryRow& row : read_summary_with_settings(path_)) {
      if (row.cell.runtime == name_of(Runtime::kGpu)) add(row);
    }
    if (result_.pairs.empty())
      throw input_error({path_, 0, ""}, "no cell that ran on devices",
                        "results of an experiment with runtime = \"gpu\"");
    for (auto& [key, tally] : tallies_) {
      const auto& [pipeline, module, size, profile_ns] = key;
      BatchSlowdown row{pipelines_[pipeline].name, pipelines_[pipeline].modules[module].name, size,
                        ns_to_ms(profile_ns)};
      tally.fill(row);
      result_.slowdowns.push_back(row);
    }
    return std::move(result_);
  }

 private:
  void add(const SummaryRow& row) {
    RecordedCell cell(path_, row.cell.index, row.cell.effective_toml, folder_, Runtime::kSimulated);
    const PreparedCell prepared = cell.prepare();
    SummaryRow simulated = row;
    if (prepared.why.empty()) {
      RunSpec spec = cell.make_run(prepared);
      spec.record_states = spec.record_replay = false;
      spec.slowdown = std::make_shared<MeasuredSlowdown>(batches_of(row, spec));
      simulated = row_of(prepared, spec, simulate(spec, nullptr), bounds_);
    } else {
      simulated.status = "skipped";
      simulated.why = prepared.why;
    }
    result_.pairs.push_back({row, simulated});
  }

  /// Returns the batches of a cell; empty for a cell that did not run. The batches of a valid cell count in
  /// the table.
  std::vector<MeasuredBatch> batches_of(const SummaryRow& row, const RunSpec& spec) {
    const bool is_valid = row.status == "ok";
    const std::vector<VisitRow> visits = read_cell(path_, row.cell.index).visits;
    const InputPlace place{path_, 0, cell_place(row.cell.index) + "/visits"};
    if (is_valid && visits.empty() && row.sent > 0)
      throw input_error(place, "no rows", "a run that kept the rows of its visits (record.rows = true)");
    for (const VisitRow& visit : visits) {
      if (visit.outcome == VisitOutcome::kDone && !is_possible(visit, spec.profiles))
        throw input_error(place, "a batch that no run of this cell can have had", "what harness wrote there");
    }
    const std::vector<MeasuredBatch> batches = measured_batches(visits, spec.profiles);
    const std::size_t pipeline = place_of(spec.pipeline);
    for (const MeasuredBatch& batch : batches) {
      if (is_valid) tallies_[{pipeline, batch.module, batch.size, batch.profile_ns}].add(batch);
    }
    return batches;
  }

  std::size_t place_of(const Pipeline& pipeline) {
    const auto same = [&](const Pipeline& one) { return one.name == pipeline.name; };
    const auto found = std::find_if(pipelines_.begin(), pipelines_.end(), same);
    const auto place = static_cast<std::size_t>(found - pipelines_.begin());
    if (found == pipelines_.end()) pipelines_.push_back(pipeline);
    return place;
  }

  std::string path_;
  std::string folder_;
  MeasuredCells result_;
  BoundCache bounds_;
  std::vector<Pipeline> pipelines_;
  std::map<SlowdownKey, SlowdownTally> tallies_;
};

}  // namespace

MeasuredCells simulate_with_measured_times(const std::string& path, const std::string& folder) {
  return MeasuredFile(path, folder).run();
}

TextTable slowdown_table(const std::vector<BatchSlowdown>& slowdowns) {
  TextTable table;
  for (const BatchSlowdown& row : slowdowns) {
    table.add_row();
    table.add({"pipeline"}, row.pipeline);
    table.add({"module"}, row.module);
    table.add({"batch"}, row.batch);
    table.add({"profile_ms"}, row.profile_ms);
    table.add({"batches"}, row.batches);
    table.add({"slowdown_p10"}, row.p10);
    table.add({"slowdown_p50"}, row.p50);
    table.add({"slowdown_p90"}, row.p90);
    table.add({"slowdown"}, row.mean);
  }
  return table;
}

}  // namespace harness
