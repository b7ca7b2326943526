#include "harness/record/hdf5/assemble_results.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "harness/core/input_error.h"
#include "harness/record/hdf5/hdf5_handle.h"
#include "harness/record/hdf5/results_format.h"
#include "harness/record/hdf5/results_reader.h"
#include "harness/record/hdf5/staged_file.h"
#include "harness/record/hdf5/table_writer.h"
#include "harness/record/run/column_facts.h"
#include "harness/record/run/summary_row.h"

namespace harness {
namespace {

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
