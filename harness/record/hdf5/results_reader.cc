#include "harness/record/hdf5/results_reader.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <type_traits>

#include "harness/core/error.h"
#include "harness/core/input_file.h"
#include "harness/record/hdf5/file_seal.h"
#include "harness/record/hdf5/results_file.h"
#include "harness/record/hdf5/stored_rows.h"
#include "harness/record/hdf5/table.h"
#include "harness/record/run/series.h"

namespace harness {
namespace {

/// The one metric that can be computed for files that lack it.
constexpr std::string_view kSloAttainment = "slo_attainment";
/// A column that is missing in files which have 0 in the place of a value that does not exist.
constexpr std::string_view kFirstOfQuantiles = "latency_ms_p50_low";
constexpr const char* kAllowed = "a results file written by harness";
/// Columns and totals that files of an older version may lack, beside metrics.
constexpr std::string_view kLaterColumns[] = {"answers",     "devices", "measured_from_s",
                                              "queue_trend", "series",  "workload"};
constexpr std::string_view kLaterTotals[] = {"accuracy_sum",      "accuracy_requests", "latency_sum_ns",
                                             "exchanged_bytes",   "order_changes",     "rerouted_visits",
                                             "scheduler_busy_ns", "measured_from_ns",  kClockBoundAttribute};

bool is_among(const auto& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Returns the state of the open file according to its block; a file is read once in a run of the program.
/// Throws InputError if it is damaged or no HDF5 file.
Seal seal_of_file(int fd, const std::string& path) {
  static std::map<FileState, Seal> verified;
  struct stat status {};
  if (::fstat(fd, &status) != 0) throw input_error({path, 0, ""}, std::strerror(errno), kAllowed);
  const FileState state = state_of(status);
  const auto known = verified.find(state);
  if (known != verified.end()) return known->second;
  const Seal seal = check_seal(fd, path);
  if (seal == Seal::kForeign) throw input_error({path, 0, ""}, "a file that is not HDF5", kAllowed);
  if (seal == Seal::kDamaged)
    throw input_error({path, 0, ""}, "a damaged file: its checksum does not match", kAllowed);
  if (seal == Seal::kGrown)
    throw input_error(
        {path, 0, ""},
        "a file into which another program has written: it is longer than when harness wrote it, and its "
        "checksum does not match",
        "the file as it was, or, if the change was meant, results/seal.py " + path +
            ", which renews the checksum");
  verified.emplace(state, seal);
  return seal;
}

/// Warns once in a run of the program that a file of the harness has no checksum; it is read nevertheless.
void warn_without_seal(const std::string& path) {
  static std::set<std::string> warned;
  if (!warned.insert(path).second) return;
  std::fprintf(
      stderr,
      "harness: warning: %s has no checksum: written by an older version; damage would not be noticed\n",
      printable(path).c_str());
}

InputError damaged_file(const std::string& path, const std::string& doing) {
  return input_error({path, 0, ""}, "a truncated or damaged HDF5 file (could not " + doing + ")", kAllowed);
}

Hdf5Handle reading_access() {
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make properties");
  checked(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG), "set properties");
#if H5_VERSION_GE(1, 10, 7) && !(H5_VERSION_GE(1, 12, 0) && !H5_VERSION_GE(1, 12, 1))
  // Finished files are never written again, and network file systems often refuse locks.
  checked(H5Pset_file_locking(access.get(), false, true), "set properties");
#endif
  return access;
}

void restore_histograms(RunRecord& record, const std::vector<StoredBucket>& buckets) {
  for (const StoredBucket& bucket : buckets) {
    if (bucket.measure == Measure::kLatency) {
      record.latency.add(bucket.up_to_ns, bucket.count);
    } else if (bucket.measure == Measure::kScheduleLag) {
      record.schedule_lag.add(bucket.up_to_ns, bucket.count);
    } else if (bucket.module < record.modules.size()) {
      ModuleTotals& module = record.modules[bucket.module];
      const bool queueing = bucket.measure == Measure::kQueueingDelay;
      (queueing ? module.queueing_delay : module.batch_wait).add(bucket.up_to_ns, bucket.count);
    }
  }
}

void restore_totals(RunRecord& record, const SummaryRow& row, hid_t group) {
  RunRecord::list(record, [group]<class Total>(const char* name, Total& total) {
    if (is_among(kLaterTotals, name) && !has_attribute(group, name)) return;
    if constexpr (std::is_integral_v<Total>)
      total = static_cast<Total>(read_integer_attribute(group, name));
    else
      total = read_real_attribute(group, name);
  });
  record.sent = row.sent;
  record.in_time = row.in_time;
  record.late = row.late;
  record.dropped = row.dropped;
  record.unfinished = row.unfinished;
  record.wall_s = row["wall_s"];
  record.fingerprint = std::strtoull(row.fingerprint.c_str(), nullptr, 16);
}

void restore_tables(CellContents& cell, hid_t group) {
  RunRecord& record = cell.record;
  for (const StoredWindow& row : read_table<StoredWindow>(group, "windows"))
    record.windows.push_back(row.counts);
  for (const StoredModuleWindow& row : read_table<StoredModuleWindow>(group, "module_windows")) {
    record.module_windows.push_back(row.window);
  }
  for (StoredModule& row : read_table<StoredModule>(group, "modules")) {
    cell.module_names.push_back(std::move(row.name));
    record.modules.push_back(std::move(row.totals));
  }
  if (has_link(group, "queue")) {
    for (const StoredSample& row : read_table<StoredSample>(group, "queue"))
      record.queue_samples.push_back(row.waiting);
  }
  restore_histograms(record, read_table<StoredBucket>(group, "latency"));
  for (StoredWorker& row : read_table<StoredWorker>(group, "workers")) {
    if (row.totals.added_ns == kNotReached) row.totals.added_ns = kNever;
    if (row.totals.ready_ns == kNotReached) row.totals.ready_ns = kNever;
    if (row.totals.removed_ns == kNotReached) row.totals.removed_ns = kNever;
    record.workers.push_back(row.totals);
  }
  record.plans = read_table<PlanRow>(group, "plans");
  if (has_link(group, "groups")) record.groups = read_table<GroupRow>(group, "groups");
  record.states = read_states(group);
  if (has_link(group, "ranks")) record.ranks = read_table<RankTotals>(group, "ranks");
}

template <class Stored, class Row>
void restore_rows(hid_t group, const char* name, std::vector<Row>& rows) {
  if (has_link(group, name))
    rows = read_table<Stored>(group, name, [](const Stored& row) { return restored(row); });
}

/// Gives a row of an older file the values that it would hold today: older files have 0 for a value that does
/// not exist, and status "ok" for a cell without requests. results/harness_results/file.py does the same.
void settle_older(SummaryRow& row) {
  if (row.status == "ok" && row.sent == 0) {
    row.status = "skipped";
    row.why = "no request was sent";
    std::ranges::fill(row.values, kNoValue);
  }
  if (row["overload_s"] == 0) row["goodput_overload_rps"] = row["drop_rate_overload"] = kNoValue;
  settle_values(row);
  for (double& value : row.values) {
    if (std::isinf(value)) value = kNoValue;  // settle_values() has set it in a column that the file lacks
  }
}

}  // namespace

std::vector<SummaryRow> read_summary_table(hid_t root) {
  const std::vector<std::string> names = StoredTable(root, kSummaryTable).column_names();
  const SummaryRow row;
  SummaryRow::list(row, [&names](const char* name, const auto&) {
    const bool may_lack = find_metric(name) != nullptr || is_among(kLaterColumns, name);
    if (!may_lack && !is_among(names, name)) throw Hdf5Failure("find all columns of /summary");
  });
  std::vector<SummaryRow> rows = read_table<SummaryRow>(root, kSummaryTable);
  for (SummaryRow& one : rows) {
    if (!is_among(names, kSloAttainment) && one.sent > 0)
      one[kSloAttainment] = static_cast<double>(one.in_time) / static_cast<double>(one.sent);
    if (!is_among(names, kFirstOfQuantiles)) settle_older(one);
  }
  return rows;
}

std::string cell_group_name(std::uint32_t index) { return "/cells/" + std::to_string(index); }

VerifiedFile::VerifiedFile(const std::string& path) : path_(path) {
  prepare_hdf5();
  {
    const InputFile file(path, kAllowed);
    is_sealed_ = seal_of_file(file.descriptor(), path) == Seal::kMatches;
  }
  try {
    const Hdf5Handle access = reading_access();
    file_ = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose, "open the file");
  } catch (const Hdf5Failure& failure) {
    throw damaged_file(path, failure.what());
  }
}

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

std::string VerifiedFile::format() const {
  std::string format;
  try {
    const bool named = has_attribute(root(), kFormatAttribute) && has_attribute(root(), kVersionAttribute);
    if (named) format = read_text_attribute(root(), kFormatAttribute);
  } catch (const Hdf5Failure&) {
    return "";
  }
  if (!is_sealed_ && (format == kFormatName || format == kCvFormatName || format == kFitFormatName))
    warn_without_seal(path_);
  return format;
}

ResultsReader::ResultsReader(const std::string& path) : path_(path), file_(path) { check_format(); }

InputError VerifiedFile::damaged(const std::string& doing) const { return damaged_file(path_, doing); }

void ResultsReader::check_format() const {
  const std::string format = file_.format();
  if (format == kCvFormatName)
    throw input_error({path_, 0, kFormatAttribute}, "a table of harness trace cv", kAllowed);
  if (format == kFitFormatName)
    throw input_error({path_, 0, kFormatAttribute}, "results of harness fit (harness figures draws them)",
                      kAllowed);
  if (format != kFormatName) {
    throw input_error({path_, 0, kFormatAttribute}, "an HDF5 file of another program", kAllowed);
  }
  const std::int64_t version = read([&] { return read_integer_attribute(root(), kVersionAttribute); });
  if (version < 1 || version > kResultsFormat) {
    throw input_error({path_, 0, kVersionAttribute}, std::to_string(version),
                      "at most " + std::to_string(kResultsFormat) + " (written by a newer harness?)");
  }
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

CellContents read_cell(const std::string& path, std::uint32_t index) {
  CellContents cell;
  bool found = false;
  for (SummaryRow& row : read_summary(path)) {
    if (row.cell.index != index) continue;
    cell.summary = std::move(row);
    found = true;
  }
  if (!found) throw input_error({path, 0, "cell"}, std::to_string(index), "a cell of this file");
  const ResultsReader file(path);
  return file.read([&] {
    const Hdf5Handle group = open_group(file.root(), cell_group_name(index));
    cell.summary.cell.effective_toml = read_text_attribute(group.get(), "effective_toml");
    restore_totals(cell.record, cell.summary, group.get());
    restore_tables(cell, group.get());
    restore_rows<StoredRequest>(group.get(), "requests", cell.requests);
    restore_rows<StoredVisit>(group.get(), "visits", cell.visits);
    return std::move(cell);
  });
}

CellReplay read_cell_replay(const std::string& path, std::uint32_t index) {
  const ResultsReader file(path);
  return file.read([&] {
    const Hdf5Handle group = open_group(file.root(), cell_group_name(index));
    return CellReplay{read_text_attribute(group.get(), "effective_toml"), read_replay(group.get())};
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
