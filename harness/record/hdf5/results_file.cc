#include "harness/record/hdf5/results_file.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "harness/core/input_error.h"
#include "harness/core/wording.h"
#include "harness/record/hdf5/results_format.h"
#include "harness/record/hdf5/results_reader.h"
#include "harness/record/hdf5/stored_module.h"
#include "harness/record/hdf5/stored_table.h"
#include "harness/record/hdf5/stored_window.h"
#include "harness/record/hdf5/verified_file.h"
#include "harness/record/run/series.h"

namespace harness {
namespace {

/// The result of a walk over a file's links: the first object that may lie in another file.
struct ForeignLink {
  std::string name;
};

herr_t look_at_link(hid_t group, const char* name, const H5L_info_t* link, void* found) {
  auto& foreign = *static_cast<ForeignLink*>(found);
  bool is_own = link->type == H5L_TYPE_HARD;
  if (is_own) {
    const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    is_own = object >= 0;
    if (is_own && H5Iget_type(object) == H5I_DATASET) {
      const hid_t creation = H5Dget_create_plist(object);
      is_own = H5Pget_layout(creation) != H5D_VIRTUAL && H5Pget_external_count(creation) == 0;
      H5Pclose(creation);
    }
    if (object >= 0) H5Oclose(object);
  }
  if (is_own) return 0;
  foreign.name = name;
  return 1;
}

}  // namespace

void require_own_objects(const std::string& path) {
  const VerifiedFile file(path);
  ForeignLink foreign;
  const herr_t end = H5Lvisit(file.root(), H5_INDEX_NAME, H5_ITER_NATIVE, look_at_link, &foreign);
  if (end == 0) return;
  throw input_error({path, 0, "/" + foreign.name}, "a link, or rows, to what may lie in another file",
                    "a results file that holds all that is in it");
}

std::vector<SummaryRow> read_summary(const std::string& path) {
  const ResultsReader file(path);
  std::vector<SummaryRow> rows = file.read([&] { return read_summary_table(file.root()); });
  name_series(rows);
  return rows;
}

std::vector<SummaryRow> read_summary_with_settings(const std::string& path) {
  const ResultsReader file(path);
  return file.read([&] {
    std::vector<SummaryRow> rows = read_summary_table(file.root());
    for (SummaryRow& row : rows) {
      const Hdf5Handle group = open_group(file.root(), cell_group_name(row.cell.index));
      row.cell.effective_toml = read_text_attribute(group.get(), "effective_toml");
    }
    name_series(rows);
    return rows;
  });
}

namespace {

/// Calls `work(summary row, group)` for each cell of the file that has the table, in the order of the file.
template <class Work>
void each_cell_with(const char* table, const std::string& path, Work work) {
  const ResultsReader file(path);
  file.read([&] {
    for (const SummaryRow& summary : read_summary_table(file.root())) {
      const Hdf5Handle group = open_group(file.root(), cell_group_name(summary.cell.index));
      if (has_link(group.get(), table)) work(summary, group.get());
    }
  });
}

}  // namespace

std::vector<EntryCounts> read_entry_counts(const std::string& path) {
  std::vector<EntryCounts> counts;
  each_cell_with("modules", path, [&](const SummaryRow& summary, hid_t group) {
    std::vector<EntryCounts> entries;
    std::uint64_t counted = 0;
    for (StoredModule& row : read_table<StoredModule>(group, "modules")) {
      counted += row.totals.requests.sent;
      if (row.totals.depth == 1)
        entries.push_back({summary.cell.index, std::move(row.name), row.totals.requests});
    }
    if (summary.sent > 0 && counted == summary.sent)
      counts.insert(counts.end(), entries.begin(), entries.end());
  });
  return counts;
}

std::vector<StartPlan> read_start_plans(const std::string& path) {
  std::vector<StartPlan> plans;
  each_cell_with("plans", path, [&](const SummaryRow& summary, hid_t group) {
    const std::vector<PlanRow> rows = read_table<PlanRow>(group, "plans");
    for (StoredModule& module : read_table<StoredModule>(group, "modules")) {
      const auto first = std::find_if(rows.begin(), rows.end(), [&](const PlanRow& row) {
        return row.at_ns == 0 && row.module == module.module;
      });
      if (first != rows.end()) plans.push_back({summary.cell.index, std::move(module.name), *first});
    }
  });
  return plans;
}

std::vector<CellMinutes> read_minutes(const std::string& path) {
  constexpr TimeNs kMinuteNs = 60 * kNsPerS;
  std::vector<CellMinutes> cells;
  each_cell_with("windows", path, [&](const SummaryRow& summary, hid_t group) {
    const TimeNs window_ns = read_integer_attribute(group, "window_ns");
    constexpr const char* kFrom = "measured_from_ns";
    const TimeNs from_ns = has_attribute(group, kFrom) ? read_integer_attribute(group, kFrom) : 0;
    std::vector<WindowCounts> minutes;
    TimeNs end_ns = 0;
    for (const StoredWindow& row : read_table<StoredWindow>(group, "windows")) {
      if (row.start_ns < from_ns) continue;
      const auto minute = static_cast<std::size_t>((row.start_ns - from_ns) / kMinuteNs);
      if (minutes.size() <= minute) minutes.resize(minute + 1);
      minutes[minute] += row.counts;
      end_ns = row.start_ns + window_ns - from_ns;
    }
    if (end_ns % kMinuteNs != 0 && minutes.size() > 1) minutes.pop_back();
    cells.push_back({summary.cell.index, std::move(minutes)});
  });
  return cells;
}

Provenance read_provenance(const std::string& path) {
  const ResultsReader file(path);
  const std::string contents =
      file.read([&] { return read_text_attribute(file.root(), kContentsAttribute); });
  if (contents != kExperimentContents) {
    throw input_error({path, 0, kContentsAttribute}, contents, "the assembled file of an experiment");
  }
  return file.read([&] {
    Provenance provenance;
    provenance.experiment = read_text_attribute(file.root(), "experiment");
    provenance.experiment_toml = read_text_attribute(file.root(), "experiment_toml");
    provenance.git_commit = read_text_attribute(file.root(), "git_commit");
    provenance.git_dirty = read_integer_attribute(file.root(), "git_dirty") != 0;
    provenance.versions = read_text_attribute(file.root(), "versions");
    provenance.machine = read_text_attribute(file.root(), "machine");
    provenance.wall_s = read_real_attribute(file.root(), "wall_s");
    if (has_attribute(file.root(), kExperimentInputsAttribute))
      provenance.experiment_inputs = read_text_attribute(file.root(), kExperimentInputsAttribute);
    if (has_attribute(file.root(), kExperimentCellsAttribute))
      provenance.experiment_cells =
          static_cast<std::uint64_t>(read_integer_attribute(file.root(), kExperimentCellsAttribute));
    provenance.clock_bound_ns = read_integer_attribute(file.root(), kClockBoundAttribute);
    return provenance;
  });
}

std::optional<std::string> cell_input_hash(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  const std::vector<SummaryRow> rows = read_summary(path);
  if (rows.size() != 1) throw input_error({path, 0, "summary"}, counted(rows.size(), "cell"), "one cell");
  return rows.front().cell.input_hash;
}

}  // namespace harness
