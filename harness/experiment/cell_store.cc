#include "harness/experiment/cell_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "harness/core/error.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
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

/// Writes, syncs and removes a file of some size.
void try_to_write(const std::string& folder) {
  const std::string path = folder + "/probe.tmp";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) throw_environment(folder, "cannot be written", errno);
  const std::string block(64 * 1024, '\0');
  const bool written = ::write(file, block.data(), block.size()) == static_cast<ssize_t>(block.size());
  const int error = written ? (::fsync(file) == 0 ? 0 : errno) : (errno != 0 ? errno : ENOSPC);
  ::close(file);
  ::unlink(path.c_str());
  if (error != 0) throw_environment(folder, "cannot be written", error);
}

}  // namespace

CellStore::CellStore(const std::string& folder, const std::string& stem)
    : results_(folder + "/" + stem + ".h5"), cells_(folder + "/" + stem + ".cells") {}

CellStore::~CellStore() {
  if (lock_ < 0) return;
  if (cell_files(cells_).empty()) {
    std::error_code error;
    fs::remove(cells_ + "/lock", error);
    remove_made_folders();
  }
  ::close(lock_);
}

std::string CellStore::cell_path(const std::string& input_hash) const {
  return cells_ + "/" + input_hash + ".h5";
}

std::optional<ForeignCell> CellStore::inspect(const std::vector<ExpectedCell>& expected) {
  std::set<std::string> hashes;
  for (const ExpectedCell& cell : expected) hashes.insert(cell.input_hash);
  std::error_code error;
  if (fs::exists(results_, error)) {
    for (const SummaryRow& row : read_summary(results_)) {
      if (hashes.count(row.cell.input_hash) == 0) {
        return ForeignCell{results_, row.cell.index, "", read_provenance(results_).experiment_toml};
      }
      found_[row.cell.input_hash] = results_;
    }
  }
  complete_ = found_.size() == hashes.size();
  for (const std::string& path : cell_files(cells_)) {
    const std::string hash = cell_input_hash(path).value_or("");
    if (hashes.count(hash) == 0 || path != cell_path(hash)) {
      return ForeignCell{path, read_summary(path).front().cell.index, cell_effective_toml(path), ""};
    }
    found_[hash] = path;
  }
  return std::nullopt;
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
    try_to_write(cells_);
    lock_ = ::open((cells_ + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (lock_ < 0) throw_environment(cells_, "cannot be written", errno);
    if (::flock(lock_, LOCK_EX | LOCK_NB) != 0)
      throw EnvironmentError(cells_ + ": another harness is writing here");
  } catch (const EnvironmentError&) {
    remove_made_folders();
    throw;
  }
}

void CellStore::remove_made_folders() {
  // Only what is empty goes.
  for (const std::string& folder : made_) {
    std::error_code error;
    fs::remove(folder, error);
  }
}

void CellStore::remove_all() {
  std::error_code error;
  for (const std::string& path : cell_files(cells_)) fs::remove(path, error);
  fs::remove(results_, error);
  found_.clear();
  complete_ = false;
}

void CellStore::assemble(const std::vector<ExpectedCell>& expected, const Provenance& provenance) {
  std::vector<std::string> files;
  for (const ExpectedCell& cell : expected) {
    const auto known = found_.find(cell.input_hash);
    const std::string path = known == found_.end() ? cell_path(cell.input_hash) : known->second;
    // STEM.h5 with some of the cells counts once and brings all that it has.
    if (std::find(files.begin(), files.end(), path) == files.end()) files.push_back(path);
  }
  assemble_results(results_, files, provenance);
  complete_ = true;
  remove_cells();
}

void CellStore::remove_cells() {
  std::error_code error;
  fs::remove_all(cells_, error);
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
  std::map<std::uint32_t, std::string> files;
  for (const std::string& file : cell_files(path.string())) {
    for (const SummaryRow& row : read_summary(file)) files[row.cell.index] = file;
  }
  if (files.empty()) throw input_error(place, "no finished cell", "a folder with finished cells");
  std::vector<std::string> in_order;
  for (const auto& [index, file] : files) in_order.push_back(file);
  Provenance made = provenance;
  made.experiment = path.stem().string();
  assemble_results(path.replace_extension(".h5").string(), in_order, made);
  return in_order.size();
}

}  // namespace harness
