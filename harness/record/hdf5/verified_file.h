// Opening a file for reading, with one clear line for any fault of the file. Internal to record/.
#pragma once

#include <new>
#include <stdexcept>
#include <string>

#include "harness/core/input_error.h"
#include "harness/core/memory.h"
#include "harness/record/hdf5/hdf5_failure.h"
#include "harness/record/hdf5/hdf5_handle.h"

namespace harness {

/// The files that readers take, in messages.
inline constexpr const char* kAllowedResults = "a results file written by harness";

/// An HDF5 file that is opened for reading after its checksum was found right. The check reads the whole file
/// once in a run of the program, however often the file is opened. The constructor throws InputError.
class VerifiedFile {
 public:
  explicit VerifiedFile(const std::string& path);
  hid_t root() const { return file_.get(); }
  /// Returns the attribute kFormatAttribute; "" if the file lacks it. For a file of the harness without a
  /// checksum, as older versions wrote them, it prints a warning to standard error, once in a run of the
  /// program.
  std::string format() const;
  /// Runs `work` and turns a failure of the library into an InputError. A lack of memory is no fault of the
  /// file, and is passed on.
  template <class Work>
  auto read(Work work) const {
    try {
      require_memory();
      return work();
    } catch (const Hdf5Failure& failure) {
      throw damaged(failure.what());
    } catch (const std::length_error&) {
      throw damaged("hold it in memory");
    }
  }

 private:
  InputError damaged(const std::string& task) const;

  std::string path_;
  Hdf5Handle file_;
  bool is_sealed_ = false;
};

}  // namespace harness
