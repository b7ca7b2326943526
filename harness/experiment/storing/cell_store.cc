#include "harness/experiment/storing/cell_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"
#include "harness/experiment/storing/build_id.h"
#include "harness/experiment/storing/what_differs.h"
#include "harness/files/file_bytes.h"
#include "harness/files/file_writer.h"
#include "harness/files/table_reader.h"
#include "harness/record/hdf5/assemble_results.h"
#include "harness/record/hdf5/results_file.h"

namespace harness {

namespace {

namespace fs = std::filesystem;
constexpr const char* kExperiment = "/experiment.toml";
constexpr const char* kLock = "/lock";
constexpr const char* kInputs = "/experiment.inputs";  ///< has experiment_inputs and experiment_cells
constexpr const char* kStatus = "/status.json";
constexpr const char* kProbe = "/probe.tmp";
// These are for a run that starts over: the file says that STEM.h5 does not count any more, the folder holds
// the cells that were there before.
constexpr const char* kFresh = "/fresh";
constexpr const char* kBefore = "/before";

[[noreturn]] void throw_environment(const std::string& path, const std::string& what, int error) {
  throw EnvironmentError(path + ": " + what + ": " + std::strerror(error));
}

std::vector<std::string> cell_files(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".h5") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Returns true if harness writes a file of that name for a cell, whose hash of 16 hexadecimal digits is in
/// the name, or if it is the rest of another file that harness was writing when it was killed.
bool is_own_file(const fs::path& path) {
  const std::string name = path.filename().string();
  if (name.starts_with("experiment.toml.tmp") || name.starts_with("experiment.inputs.tmp") ||
      name.starts_with("fresh.tmp") || name == "status.json.tmp")
    return true;
  const std::size_t hash = name.find_first_not_of("0123456789abcdef");
  if (hash != 16) return false;
  const std::string kind = name.substr(hash);
  return kind == ".h5" || kind == ".h5.tmp" || kind == ".crash";
}

/// Writes, syncs and removes a file of some size.
void try_to_write(const std::string& folder) {
  const std::string path = folder + kProbe;
  ::unlink(path.c_str());
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (file < 0) throw_environment(folder, "cannot be written", errno);
  int error = write_fully(file, std::string(64 * 1024, '\0'));
  if (error == 0 && ::fsync(file) != 0) error = errno;
  ::close(file);
  ::unlink(path.c_str());
  if (error != 0) throw_environment(folder, "cannot be written", error);
}

/// Moves the cells' results from folder to folder.
void move_cells(const std::string& from, const std::string& to) {
  for (const std::string& path : cell_files(from)) {
    std::error_code error;
    if (is_own_file(path)) fs::rename(path, to + "/" + fs::path(path).filename().string(), error);
  }
  std::error_code error;
  fs::remove(from, error);  // works if it is empty
}

/// Returns the hash that a cell's file holds. Throws InputError with what to do about it.
std::string hash_in(const std::string& path) {
  try {
    return cell_input_hash(path).value_or("");
  } catch (const InputError& refused) {
    throw InputError(std::string(refused.what()) + "; without this file its cell alone is run again");
  }
}

ForeignCell foreign_cell(const std::string& path, std::uint32_t index) {
  std::vector<SummaryRow> rows = read_summary_with_settings(path);
  const auto found = std::ranges::find(rows, index, [](const SummaryRow& row) { return row.cell.index; });
  return {path, found->cell};
}

/// Returns true if the open file is the one that the path names.
bool is_at(int file, const std::string& path) {
  struct stat open_file {};
  struct stat named {};
  return ::fstat(file, &open_file) == 0 && ::lstat(path.c_str(), &named) == 0 &&
         open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

/// Returns the name that an experiment gives itself, else the stem of its results.
std::string experiment_name(const std::string& results, const std::string& toml) {
  const std::string stem = fs::path(results).stem().string();
  try {
    return TableReader(results, parse_toml(results, toml), "").text_or("name", stem);
  } catch (const InputError&) {
    return stem;
  }
}

}  // namespace

CellStore::CellStore(const std::string& folder, const std::string& stem)
    : results_(folder + "/" + stem + ".h5"), cells_(folder + "/" + stem + ".cells") {}

CellStore::~CellStore() {
  if (lock_ < 0) return;
  if (cell_files(cells_).empty()) {
    std::error_code error;
    for (const char* name : {kExperiment, kInputs, kStatus}) fs::remove(cells_ + name, error);
    move_cells(cells_ + kBefore, cells_);
    fs::remove(cells_ + kFresh, error);
    fs::remove(cells_ + kLock, error);
    remove_made_folders();
  }
  ::close(lock_);
}

std::string CellStore::cell_path(const std::string& input_hash) const {
  return cells_ + "/" + input_hash + ".h5";
}

std::string CellStore::mark_path(const std::string& input_hash) const {
  return cells_ + "/" + input_hash + ".crash";
}

std::string CellStore::status_path() const { return cells_ + kStatus; }

std::optional<ForeignCell> CellStore::inspect(const std::vector<ExpectedCell>& expected) {
  found_.clear();
  std::set<std::string> hashes;
  std::set<std::string> failed;
  for (const ExpectedCell& cell : expected) hashes.insert(cell.input_hash);
  std::error_code error;
  if (fs::exists(results_, error) && !fs::exists(cells_ + kFresh, error)) {
    for (const SummaryRow& row : read_summary(results_)) {
      if (hashes.count(row.cell.input_hash) == 0) return foreign_cell(results_, row.cell.index);
      found_[row.cell.input_hash] = results_;
      if (row.status != "ok") failed.insert(row.cell.input_hash);
    }
  }
  for (const std::string& path : cell_files(cells_)) {
    const std::string hash = hash_in(path);
    if (hashes.count(hash) == 0) return foreign_cell(path, read_summary(path).front().cell.index);
    if (path != cell_path(hash))
      throw input_error({path, 0, ""}, "a cell under another name",
                        fs::path(cell_path(hash)).filename().string());
    if (failed.count(hash) > 0) found_.erase(hash);  // the cell was run again
    found_.emplace(hash, path);
  }
  return std::nullopt;
}

void CellStore::look(const std::vector<ExpectedCell>& expected) {
  try {
    inspect(expected);
  } catch (const InputError&) {
    found_.clear();
  }
}

void CellStore::forget_failed() {
  std::set<std::string> files;
  for (const auto& [hash, path] : found_) files.insert(path);
  for (const std::string& path : files) {
    for (const SummaryRow& row : read_summary(path)) {
      const auto found = found_.find(row.cell.input_hash);
      if (row.status != "ok" && found != found_.end() && found->second == path) found_.erase(found);
    }
  }
}

bool CellStore::complete(std::span<const ExpectedCell> cells) const {
  return std::all_of(cells.begin(), cells.end(), [this](const ExpectedCell& cell) {
    const auto found = found_.find(cell.input_hash);
    return found != found_.end() && found->second == results_;
  });
}

void CellStore::note_finished(const std::string& input_hash) {
  found_.emplace(input_hash, cell_path(input_hash));
}

std::vector<SummaryRow> CellStore::rows_of(std::span<const ExpectedCell> cells) const {
  std::map<std::string, std::map<std::string, SummaryRow>> files;  // path -> input hash -> row
  std::vector<SummaryRow> rows;
  for (const ExpectedCell& cell : cells) {
    const std::string& path = found_.at(cell.input_hash);
    std::map<std::string, SummaryRow>& file = files[path];
    if (file.empty()) {
      for (SummaryRow& row : read_summary(path)) file.emplace(row.cell.input_hash, row);
    }
    rows.push_back(file.at(cell.input_hash));
  }
  return rows;
}

bool CellStore::has_cells_folder() const {
  std::error_code error;
  return fs::exists(cells_, error);
}

void CellStore::open() {
  for (fs::path path = cells_; !path.empty(); path = path.parent_path()) {
    std::error_code error;
    if (fs::exists(path, error)) break;
    made_.push_back(path.string());
  }
  try {
    std::error_code error;
    fs::create_directories(cells_, error);
    if (error) throw_environment(cells_, "cannot be made", error.value());
    if (fs::is_symlink(cells_, error))
      throw EnvironmentError(cells_ +
                             ": a symbolic link, which is not followed: remove it, or choose another -o");
    try_to_write(cells_);
    lock_ = ::open((cells_ + kLock).c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (lock_ < 0) throw_environment(cells_ + kLock, "cannot be written", errno);
    // The run that held the lock before may have removed the file.
    if (::flock(lock_, LOCK_EX | LOCK_NB) != 0 || !is_at(lock_, cells_ + kLock))
      throw EnvironmentError(cells_ + ": another harness is writing here");
    // Undoes what a run did that was killed while it put them away.
    if (!fs::exists(cells_ + kFresh, error)) move_cells(cells_ + kBefore, cells_);
  } catch (const EnvironmentError&) {
    if (lock_ >= 0) ::close(lock_);
    lock_ = -1;
    remove_made_folders();
    throw;
  }
}

void CellStore::remove_made_folders() {
  // This removes only empty folders.
  for (const std::string& folder : made_) {
    std::error_code error;
    fs::remove(folder, error);
  }
}

void CellStore::check_replaceable() const {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(results_, error))) return;
  try {
    read_summary(results_);
  } catch (const InputError& refused) {
    throw input_refusal({results_, 0, ""},
                        "--fresh replaces results of harness alone, and this is no file that can "
                        "be read; remove it, or use -o DIR for another folder");
  }
}

std::vector<std::uint32_t> CellStore::cells_there() const {
  std::vector<std::string> files = cell_files(cells_);
  std::error_code error;
  if (fs::exists(results_, error)) files.push_back(results_);
  std::vector<std::uint32_t> cells;
  for (const std::string& file : files) {
    try {
      for (const SummaryRow& row : read_summary(file)) cells.push_back(row.cell.index);
    } catch (const InputError&) {  // a damaged one is put aside as the others are
    }
  }
  return cells;
}

void CellStore::forget_crashes() {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(cells_, error)) {
    std::error_code ignored;
    if (is_own_file(entry.path()) && entry.path().extension() == ".crash") fs::remove(entry.path(), ignored);
  }
}

void CellStore::start_over() {
  std::error_code error;
  forget_crashes();
  fs::create_directory(cells_ + kBefore, error);
  move_cells(cells_, cells_ + kBefore);
  write_file(cells_ + kFresh,
             "STEM.h5 is replaced when the new cells are complete; those from before lie in before/\n");
  found_.clear();
}

void CellStore::keep_experiment(const std::string& toml, const std::string& inputs, std::uint64_t cells) {
  write_file(cells_ + kExperiment, toml);
  write_file(cells_ + kInputs, inputs + " " + std::to_string(cells) + "\n");
}

void CellStore::assemble(std::span<const ExpectedCell> expected, const Provenance& provenance,
                         const std::function<void()>& before_each) {
  std::vector<std::string> files;
  bool has_results = false;
  for (const ExpectedCell& cell : expected) {
    const auto known = found_.find(cell.input_hash);
    const std::string path = known == found_.end() ? cell_path(cell.input_hash) : known->second;
    has_results = has_results || path == results_;
    if (path != results_) files.push_back(path);
  }
  // STEM.h5 counts once, brings all its cells, and gives way to cells that were run again.
  if (has_results) files.push_back(results_);
  assemble_results(results_, files, provenance, before_each);
  remove_cells();
}

void CellStore::remove_cells() {
  std::error_code error;
  for (const std::string& folder : {cells_ + kBefore, cells_}) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (is_own_file(entry.path())) files.push_back(entry.path());
    }
    for (const fs::path& file : files) fs::remove(file, error);
  }
  // The lock is removed last: another process that sees the folder without it may make one.
  for (const char* name : {kBefore, kExperiment, kInputs, kFresh, kProbe, kStatus, kLock})
    fs::remove(cells_ + name, error);
  fs::remove(cells_, error);
  if (fs::exists(cells_, error))
    std::fprintf(stderr, "harness: warning: %s: holds files that harness did not write; they stay\n",
                 cells_.c_str());
}

void CellStore::refuse_unfinished_fresh() const {
  std::error_code exists;
  if (fs::exists(cells_ + kFresh, exists) && fs::exists(results_, exists))
    throw input_refusal({cells_, 0, ""},
                        "a run with --fresh that is not finished; the same command without --fresh "
                        "finishes it, and " +
                            results_ + " stays until then");
}

std::size_t CellStore::collect(const Provenance& provenance) {
  refuse_unfinished_fresh();
  Provenance made = provenance;
  struct Held {
    std::string file;
    CellIdentity cell;
  };
  std::map<std::uint32_t, Held> held;
  const auto hold = [&](const std::string& file) {
    for (SummaryRow& row : read_summary_with_settings(file)) {
      const Held& first = held.emplace(row.cell.index, Held{file, row.cell}).first->second;
      if (first.cell.input_hash == row.cell.input_hash) continue;
      throw input_error({file, 0, "cell " + std::to_string(row.cell.index)},
                        "made differently than in " + first.file + ": " +
                            what_differs(first.cell, row.cell, build_id(), false),
                        "the same settings, files and build");
    }
  };
  std::vector<std::string> files = cell_files(cells_);
  std::error_code error;
  if (fs::exists(results_, error)) {
    hold(results_);
    const Provenance before = read_provenance(results_);
    made.experiment = before.experiment;
    made.experiment_toml = before.experiment_toml;
    made.experiment_inputs = before.experiment_inputs;
    made.experiment_cells = before.experiment_cells;
  }
  for (const std::string& file : files) hold(file);
  if (fs::exists(cells_ + kExperiment, error)) {
    made.experiment_toml = read_file(cells_ + kExperiment);
    made.experiment = experiment_name(results_, made.experiment_toml);
    std::ifstream(cells_ + kInputs) >> made.experiment_inputs >> made.experiment_cells;
  } else if (made.experiment.empty()) {
    made.experiment = fs::path(results_).stem().string();
  }
  if (fs::exists(results_, error)) files.push_back(results_);  // gives way to cells that were run again
  open();
  assemble_results(results_, files, made);
  return held.size();
}

std::size_t collect_cells(const std::string& folder, const Provenance& provenance) {
  const InputPlace place{folder, 0, ""};
  fs::path path(folder);
  if (path.filename().empty()) path = path.parent_path();
  if (path.extension() != ".cells")
    throw input_error(place, "a path that does not end in .cells", "STEM.cells");
  std::error_code error;
  if (!fs::is_directory(path, error))
    throw input_error(place, "no such folder", "STEM.cells of an unfinished run");
  if (cell_files(path.string()).empty())
    throw input_error(place, "no finished cell", "a folder with finished cells");
  CellStore store(path.has_parent_path() ? path.parent_path().string() : ".", path.stem().string());
  return store.collect(provenance);
}

}  // namespace harness
