#include <algorithm>
#include <map>
#include <string>
#include <type_traits>

#include "harness/core/error.h"
#include "harness/record/hdf5/results_file.h"
#include "harness/record/hdf5/results_reader.h"
#include "harness/record/hdf5/staged_file.h"
#include "harness/record/hdf5/stored_rows.h"
#include "harness/record/hdf5/table.h"

namespace harness {
namespace {

void write_format(hid_t root, const char* contents) {
  write_attribute(root, kFormatAttribute, std::string(kFormatName));
  write_attribute(root, kVersionAttribute, std::int64_t{kResultsFormat});
  write_attribute(root, kContentsAttribute, std::string(contents));
}

void write_tables(hid_t group, const RunRecord& record, const std::vector<std::string>& module_names) {
  write_table(group, "windows", stored_windows(record));
  write_table(group, "module_windows", stored_module_windows(record));
  write_table(group, "queue", stored_samples(record));
  write_table(group, "modules", stored_modules(record, module_names));
  write_table(group, "workers", stored_workers(record));
  write_table(group, "plans", record.plans);
  if (!record.groups.empty()) write_table(group, "groups", record.groups);
  write_table(group, "latency", stored_buckets(record));
  if (!record.ranks.empty()) write_table(group, "ranks", record.ranks);
  write_states(group, record.states);
  write_replay(group, record.replay);
}

void write_summary(hid_t root, const std::vector<SummaryRow>& rows) {
  constexpr std::size_t kChunkRows = 256;
  write_table(root, kSummaryTable, rows, kChunkRows);
}

void write_provenance(hid_t root, const Provenance& provenance) {
  write_format(root, kExperimentContents);
  write_attribute(root, "experiment", provenance.experiment);
  write_attribute(root, "experiment_toml", provenance.experiment_toml);
  write_attribute(root, "git_commit", provenance.git_commit);
  write_attribute(root, "git_dirty", std::int64_t{provenance.git_dirty});
  write_attribute(root, "versions", provenance.versions);
  write_attribute(root, "machine", provenance.machine);
  write_attribute(root, "wall_s", provenance.wall_s);
  write_attribute(root, kExperimentInputsAttribute, provenance.experiment_inputs);
  write_attribute(root, kExperimentCellsAttribute, static_cast<std::int64_t>(provenance.experiment_cells));
}

/// Copies the cell's group as it is, without unpacking its chunks. Returns its clock bound.
TimeNs copy_cell(const ResultsReader& from, hid_t to, std::uint32_t index) {
  const std::string name = cell_group_name(index);
  checked(H5Ocopy(from.root(), name.c_str(), to, name.c_str(), H5P_DEFAULT, H5P_DEFAULT), "copy a cell");
  const Hdf5Handle group = open_group(to, name);
  return has_attribute(group.get(), kClockBoundAttribute)
             ? read_integer_attribute(group.get(), kClockBoundAttribute)
             : 0;
}

}  // namespace

struct CellFileWriter::File {
  File(const std::string& path, const CellIdentity& identity, const std::vector<std::string>& names)
      : staged(path), cell(identity), module_names(names) {
    staged.write([&] { group = make_group(staged.id(), cell_group_name(cell.index)); });
    requests.emplace(group.get(), "requests");
    visits.emplace(group.get(), "visits");
  }

  StagedFile staged;
  CellIdentity cell;
  std::vector<std::string> module_names;
  Hdf5Handle group;
  std::optional<ChunkedTable<StoredRequest>> requests;
  std::optional<ChunkedTable<StoredVisit>> visits;
};

CellFileWriter::CellFileWriter(const std::string& path, const CellIdentity& cell,
                               const std::vector<std::string>& module_names)
    : file_(std::make_unique<File>(path, cell, module_names)) {}

CellFileWriter::~CellFileWriter() = default;

void CellFileWriter::requests(std::span<const RequestRow> rows) {
  file_->staged.write([&] { file_->requests->append(rows); });
}

void CellFileWriter::visits(std::span<const VisitRow> rows) {
  file_->staged.write([&] { file_->visits->append(rows); });
}

void CellFileWriter::finish(SummaryRow row, const RunRecord& record) {
  HARNESS_CHECK(record.modules.size() <= file_->module_names.size(), "a module of the record has no name");
  StagedFile& staged = file_->staged;
  staged.write([&] {
    file_->requests->flush();
    file_->visits->flush();
    write_format(staged.id(), kCellContents);
    write_attribute(file_->group.get(), "effective_toml", file_->cell.effective_toml);
    RunRecord::list(record, [&](const char* name, const auto& total) {
      if constexpr (std::is_integral_v<std::decay_t<decltype(total)>>)
        write_attribute(file_->group.get(), name, static_cast<std::int64_t>(total));
      else
        write_attribute(file_->group.get(), name, total);
    });
    write_tables(file_->group.get(), record, file_->module_names);
    row.cell = file_->cell;
    write_summary(staged.id(), {std::move(row)});
    file_->requests.reset();
    file_->visits.reset();
    file_->group.reset();
  });
  staged.commit(StagedFile::Durable::kSoon);
}

void assemble_results(const std::string& path, const std::vector<std::string>& cell_files,
                      const Provenance& provenance, const std::function<void()>& before_each) {
  StagedFile staged(path);
  std::vector<SummaryRow> rows;
  std::map<std::uint32_t, std::string> hashes;  // input hashes by index
  TimeNs clock_bound_ns = 0;
  staged.write([&] {
    write_provenance(staged.id(), provenance);
    make_group(staged.id(), "/cells");
  });
  for (const std::string& cell_file : cell_files) {
    if (before_each) before_each();
    const ResultsReader source(cell_file);
    for (SummaryRow& row : source.read([&] { return read_summary_table(source.root()); })) {
      const auto [known, is_new] = hashes.emplace(row.cell.index, row.cell.input_hash);
      if (!is_new && known->second == row.cell.input_hash) continue;
      if (!is_new)
        throw input_error({cell_file, 0, "cell"}, std::to_string(row.cell.index), "each cell once");
      // A failure to read is an error of the source file, a failure to write one of the new file.
      staged.write([&] {
        clock_bound_ns = std::max(
            clock_bound_ns, source.read([&] { return copy_cell(source, staged.id(), row.cell.index); }));
      });
      rows.push_back(std::move(row));
    }
  }
  std::sort(rows.begin(), rows.end(),
            [](const SummaryRow& a, const SummaryRow& b) { return a.cell.index < b.cell.index; });
  staged.write([&] {
    write_attribute(staged.id(), kClockBoundAttribute, clock_bound_ns);
    write_summary(staged.id(), rows);
    write_table(staged.id(), kColumnsTable, column_facts());
  });
  staged.commit();
}

}  // namespace harness
