#include "harness/experiment/storing/joined_parts.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <string_view>

#include "harness/core/input_error.h"
#include "harness/experiment/cells/cell_text.h"
#include "harness/experiment/reading/config_tree.h"
#include "harness/experiment/storing/build_id.h"
#include "harness/experiment/storing/cell_store.h"
#include "harness/experiment/storing/what_differs.h"
#include "harness/record/analysis/settings_differences.h"
#include "harness/record/hdf5/assemble_results.h"
#include "harness/record/hdf5/provenance.h"
#include "harness/record/hdf5/results_file.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kOthers = " and others";  // ends the text of several machines
constexpr const char* kAllowed = "parts of one experiment, made from the same files by one build";

/// Returns the first line with a key that the second text lacks.
std::string line_of_first_alone(const std::string& text, const std::string& other) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find('=') != std::string::npos && ("\n" + other).find("\n" + line + "\n") == std::string::npos)
      return line;
  }
  return "";
}

/// Throws InputError if `part`, read from `file`, was not made in the same way as `first`.
void check_made_alike(const Provenance& part, const std::string& file, const Provenance& first,
                      const std::string& first_file) {
  // The texts may differ in form: a file has comments, and --set writes it anew.
  const std::string before = to_toml(parse_toml(first_file, first.experiment_toml));
  const std::string now = to_toml(parse_toml(file, part.experiment_toml));
  if (before != now) {
    const std::string added = line_of_first_alone(now, before);
    const std::string gone = line_of_first_alone(before, now);
    const std::string what = !added.empty()  ? added
                             : !gone.empty() ? "no " + gone
                                             : first_difference(before, now);
    throw input_error({file, 0, ""}, "other settings than in " + first_file + ": " + what, kAllowed);
  }
  if (part.git_commit != first.git_commit || part.git_dirty != first.git_dirty ||
      part.versions != first.versions)
    throw input_error({file, 0, ""}, "results of another build than in " + first_file, kAllowed);
}

/// Returns the inputs of a part that differ from the inputs of the `others`.
std::string other_inputs(std::span<const SummaryRow> part,
                         const std::map<std::uint32_t, SummaryRow>& others) {
  std::map<std::string, std::string> known;
  for (const auto& [index, row] : others) known.merge(contents_of(row.cell.effective_toml));
  for (const SummaryRow& row : part) {
    for (const auto& [name, checksum] : contents_of(row.cell.effective_toml)) {
      const auto found = known.find(name);
      if (found != known.end() && found->second != checksum) return "other contents of " + name;
    }
  }
  // A difference in what else a file decides, such as a pipeline's SLO, may come from an axis, and some files
  // are named by other cells only.
  const std::string contents = "other pipelines, profiles or traces under the same names";
  const std::string build = build_id();
  const bool is_by_it = is_made_by(build, part.front().cell);
  if (is_by_it != is_made_by(build, others.begin()->second.cell)) return "results of another build";
  return is_by_it ? contents : "results of another build, or " + contents + ",";
}

/// Throws InputError if a cell that two files hold is not the same. In the `output`, the last of them, it may
/// have failed.
void check_same_cell(const SummaryRow& row, const std::string& file, const SummaryRow& first,
                     bool is_output) {
  const InputPlace place{file, 0, "cell " + std::to_string(row.cell.index)};
  if (row.cell.input_hash != first.cell.input_hash)
    throw input_error(
        place,
        "made differently than in another part: " + what_differs(first.cell, row.cell, build_id(), false),
        "the same settings, files and build");
  const bool gives_way = is_output && row.status != "ok";
  if (row.status != first.status && !gives_way)
    throw input_error(place, row.status + ", in another part " + first.status,
                      "one of the two parts: the run of the cell that counts");
}

JoinedParts joined_of(const std::map<std::uint32_t, SummaryRow>& rows, std::uint64_t experiment_cells) {
  constexpr std::size_t kNamed = 5;
  JoinedParts joined;
  joined.cells = rows.size();
  joined.failed = static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.second.status != "ok"; }));
  if (experiment_cells <= rows.size()) return joined;
  joined.missing = experiment_cells - rows.size();
  for (std::uint32_t cell = 0; cell < experiment_cells && joined.absent.size() < kNamed; ++cell) {
    if (rows.count(cell) == 0) joined.absent.push_back(cell);
  }
  return joined;
}

}  // namespace

JoinedParts collect_parts(const std::vector<std::string>& parts, const std::string& output) {
  const fs::path path(output);
  if (path.extension() != ".h5") throw input_error({output, 0, ""}, "a name without .h5", "FILE.h5");
  std::error_code error;
  for (const std::string& part : parts) {
    if (fs::equivalent(part, output, error))
      throw input_error({output, 0, ""}, "one of the parts",
                        "another file, which they are added to if it is there");
  }
  CellStore store(path.has_parent_path() ? path.parent_path().string() : ".", path.stem().string());
  store.open();  // from here on no other process writes to what is there
  store.refuse_unfinished_fresh();
  std::vector<std::string> files = parts;
  if (fs::exists(output, error)) files.push_back(output);
  Provenance made = read_provenance(files.front());
  std::map<std::uint32_t, SummaryRow> rows;
  for (const std::string& file : files) {
    const Provenance part = read_provenance(file);
    check_made_alike(part, file, made, files.front());
    made.wall_s = std::max(made.wall_s, part.wall_s);
    made.experiment_cells = std::max(made.experiment_cells, part.experiment_cells);
    if (part.machine != made.machine && !made.machine.ends_with(kOthers)) made.machine += kOthers;
    std::vector<SummaryRow> own = read_summary_with_settings(file);
    if (part.experiment_inputs != made.experiment_inputs && !own.empty() && !rows.empty())
      throw input_error({file, 0, ""}, other_inputs(own, rows) + " than in " + files.front(), kAllowed);
    for (SummaryRow& row : own) {
      const auto [known, is_new] = rows.emplace(row.cell.index, row);
      if (!is_new) check_same_cell(row, file, known->second, file == output);
    }
  }
  assemble_results(output, files, made);
  return joined_of(rows, made.experiment_cells);
}

}  // namespace harness
