#include "harness/experiment/paced_cells.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "harness/experiment/recorded_cell.h"
#include "harness/record/results_file.h"
#include "harness/record/text_table.h"
#include "harness/sim/simulation.h"

namespace harness {
namespace {

/// Of a module of a pipeline, by its places in the file and in the pipeline, and a batch size.
using PaceKey = std::tuple<std::size_t, ModuleId, int>;

/// Takes the paces of batches of one kind.
class PaceTally {
 public:
  void add(const PacedBatch& batch) {
    paces_.push_back(batch.pace());
    took_ns_ += static_cast<double>(batch.ended_ns - batch.started_ns);
    profile_ns_ += static_cast<double>(batch.profile_ns);
  }
  void fill(BatchPace& row) {
    std::sort(paces_.begin(), paces_.end());
    row.batches = paces_.size();
    row.p10 = at(0.1);
    row.p50 = at(0.5);
    row.p90 = at(0.9);
    row.mean = took_ns_ / profile_ns_;
  }

 private:
  double at(double q) const {
    const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(paces_.size())));
    return paces_[rank - 1];
  }

  std::vector<double> paces_;
  double took_ns_ = 0;
  double profile_ns_ = 0;
};

class PacedFile {
 public:
  PacedFile(const std::string& path, const std::string& folder) : path_(path), folder_(folder) {}

  PacedCells run() {
    for (const SummaryRow& row : read_summary_with_settings(path_)) {
      if (row.cell.runtime == name_of(Runtime::kGpu) && row.status != "skipped") add(row);
    }
    if (result_.pairs.empty())
      throw input_error({path_, 0, ""}, "no cell that ran on devices",
                        "results of an experiment with runtime = \"gpu\"");
    for (auto& [key, tally] : tallies_) {
      const auto& [pipeline, module, size] = key;
      BatchPace row{pipelines_[pipeline].name, pipelines_[pipeline].modules[module].name, size};
      tally.fill(row);
      result_.paces.push_back(row);
    }
    return std::move(result_);
  }

 private:
  void add(const SummaryRow& row) {
    const std::uint32_t index = row.cell.index;
    RecordedCell cell(path_, index, row.cell.effective_toml, folder_, Runtime::kSimulated);
    RunSpec spec = cell.make_run();
    const std::vector<VisitRow> visits = read_cell(path_, index).visits;
    if (visits.empty() && row.sent > 0)
      throw input_error({path_, 0, cell_place(index)}, "no rows of its visits",
                        "a run that kept them (record.rows = true)");
    std::vector<PacedBatch> batches = paced_batches(visits, spec.profiles);
    for (const PacedBatch& batch : batches)
      tallies_[{place_of(spec.pipeline), batch.module, batch.size}].add(batch);
    spec.pace = std::make_shared<DevicePace>(std::move(batches));
    SummaryRow simulated = summarise(row.cell, simulate(spec, nullptr), kNoValue, row.capacity_rps, {});
    simulated.cell.runtime = name_of(Runtime::kSimulated);
    simulated.slo_ms = row.slo_ms;
    result_.pairs.push_back({row, simulated});
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
  PacedCells result_;
  std::vector<Pipeline> pipelines_;
  std::map<PaceKey, PaceTally> tallies_;
};

TextTable table_of(const std::vector<BatchPace>& paces, bool full) {
  TextTable table{{"pipeline", "module", "batch", "batches", "pace_p10", "pace_p50", "pace_p90", "pace"}, {}};
  for (const BatchPace& row : paces) {
    table.rows.push_back({{row.pipeline},
                          {row.module},
                          {std::to_string(row.batch), true},
                          {std::to_string(row.batches), true},
                          number_cell(row.p10, full),
                          number_cell(row.p50, full),
                          number_cell(row.p90, full),
                          number_cell(row.mean, full)});
  }
  return table;
}

}  // namespace

PacedCells simulate_paced(const std::string& path, const std::string& folder) {
  return PacedFile(path, folder).run();
}

std::string pace_table(const std::vector<BatchPace>& paces) {
  return paces.empty() ? "no batch took any time\n" : aligned_text(table_of(paces, false));
}

std::string pace_json(const std::vector<BatchPace>& paces) {
  std::string text = json_text(table_of(paces, true));
  text.pop_back();  // the end of the line
  return text;
}

}  // namespace harness
