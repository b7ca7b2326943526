#include "harness/record/hdf5/verified_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>

#include "harness/core/input_file.h"
#include "harness/core/printable.h"
#include "harness/record/hdf5/file_seal.h"
#include "harness/record/hdf5/results_format.h"

namespace harness {
namespace {

/// Returns the state of the open file according to its block; a file is read once in a run of the program.
/// Throws InputError if it is damaged or no HDF5 file.
FileSeal seal_of_file(int fd, const std::string& path) {
  static std::map<FileState, FileSeal> verified;
  struct stat status {};
  if (::fstat(fd, &status) != 0) throw input_error({path, 0, ""}, std::strerror(errno), kAllowedResults);
  const FileState state = state_of(status);
  const auto known = verified.find(state);
  if (known != verified.end()) return known->second;
  const FileSeal seal = check_seal(fd, path);
  if (seal == FileSeal::kForeign)
    throw input_error({path, 0, ""}, "a file that is not HDF5", kAllowedResults);
  if (seal == FileSeal::kDamaged)
    throw input_error({path, 0, ""}, "a damaged file: its checksum does not match", kAllowedResults);
  if (seal == FileSeal::kGrown)
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

InputError damaged_file(const std::string& path, const std::string& task) {
  return input_error({path, 0, ""}, "a truncated or damaged HDF5 file (could not " + task + ")",
                     kAllowedResults);
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

}  // namespace

VerifiedFile::VerifiedFile(const std::string& path) : path_(path) {
  prepare_hdf5();
  {
    const InputFile file(path, kAllowedResults);
    is_sealed_ = seal_of_file(file.descriptor(), path) == FileSeal::kMatches;
  }
  try {
    const Hdf5Handle access = reading_access();
    file_ = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose, "open the file");
  } catch (const Hdf5Failure& failure) {
    throw damaged_file(path, failure.what());
  }
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

InputError VerifiedFile::damaged(const std::string& task) const { return damaged_file(path_, task); }

}  // namespace harness
