// An HDF5 file that appears under its name only when it is complete. Internal to record/.
#pragma once

#include <string>

#include "harness/record/hdf5_handle.h"
#include "harness/record/staged_driver.h"

namespace harness {

/// Written as PATH.tmp, then synced and renamed by commit(). Destroyed before that, it leaves nothing behind.
/// A left-over PATH.tmp of a killed run is overwritten. Throws EnvironmentError naming the path and the
/// reason.
class StagedFile {
 public:
  explicit StagedFile(const std::string& path);
  ~StagedFile();
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  hid_t id() const { return file_.get(); }
  const std::string& path() const { return path_; }
  /// Runs `work`, then throws EnvironmentError if a call of the library or a write to the disk has failed.
  template <class Work>
  void write(Work work) {
    try {
      work();
    } catch (const Hdf5Failure& failure) {
      throw_failure(failure.what());
    }
    if (descriptor_.error != 0) throw_failure("");
  }
  void commit();

 private:
  [[noreturn]] void throw_failure(const std::string& doing) const;
  void discard();

  std::string path_;
  std::string staged_path_;
  StagedDescriptor descriptor_;
  Hdf5Handle file_;
};

}  // namespace harness
