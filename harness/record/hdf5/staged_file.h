// An HDF5 file that appears under its name only when it is complete. Internal to record/.
#pragma once

#include <hdf5.h>

#include <string>

#include "harness/core/memory.h"
#include "harness/record/hdf5/hdf5_failure.h"
#include "harness/record/hdf5/hdf5_handle.h"

namespace harness {

/// A file that is written as PATH.tmp; commit() seals it with its checksum, syncs and renames it. If the
/// object is destroyed before that, nothing is left behind. A left-over PATH.tmp of a killed run is replaced;
/// a link or a device of that name is never written to. Throws EnvironmentError naming the path and the
/// reason.
class StagedFile {
 public:
  /// A file that is being written. After the first failure further writes are discarded and reported as done,
  /// because the library cannot close a file whose last writes fail, and would try again when the program
  /// ends. The caller looks at `error` instead.
  struct Descriptor {
    int fd = -1;
    int error = 0;  ///< errno of the first failure; 0 without a failure
    haddr_t end = 0;
  };

  explicit StagedFile(const std::string& path);
  ~StagedFile();
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  hid_t id() const { return file_.get(); }
  /// Runs `work`, then throws EnvironmentError if a call of the library or a write to the disk has failed.
  /// Other exceptions of `work` (such as an InputError for a file that it reads) are passed on, unless the
  /// disk failed before.
  template <class Work>
  void write(Work work) {
    try {
      require_memory();
      work();
    } catch (const Hdf5Failure& failure) {
      throw_failure(failure.what());
    } catch (...) {
      if (descriptor_.error != 0) throw_failure("");
      throw;
    }
    if (descriptor_.error != 0) throw_failure("");
  }
  /// The time from which the file survives a power cut. kAtOnce: when commit() returns. kSoon: the folder is
  /// synced at most once a second, since for many small files syncing would take most of the time; a power
  /// cut may remove the files of the last second.
  enum class Durable { kAtOnce, kSoon };
  void commit(Durable durable = Durable::kAtOnce);

 private:
  [[noreturn]] void throw_failure(const std::string& task) const;
  void discard();

  std::string path_;
  std::string staged_path_;
  Descriptor descriptor_;
  Hdf5Handle file_;
};

}  // namespace harness
