// The failure of the HDF5 library by exception instead of a printed error stack. Internal to record/.
#pragma once

#include <exception>

namespace harness {

/// The failure of a call of the HDF5 library. It does not name the file: readers turn it into an InputError,
/// and writers into an EnvironmentError, that does.
class Hdf5Failure : public std::exception {
 public:
  explicit Hdf5Failure(const char* doing) : doing_(doing) {}
  const char* what() const noexcept override { return doing_; }

 private:
  const char* doing_;
};

/// Opens the library, without links to other files and without plugins, and turns off its printing of errors
/// for this thread. A repeated call is cheap. Throws std::bad_alloc like require_memory().
void prepare_hdf5();

/// Throws the exception for the library's last call, which failed: std::bad_alloc if it lacked memory, else
/// Hdf5Failure(doing).
[[noreturn]] void throw_failure(const char* doing);

/// Calls throw_failure() if `result` is negative; otherwise returns it. `doing` must live as long as the
/// program.
template <class Result>
Result checked(Result result, const char* doing) {
  if (result < 0) throw_failure(doing);
  return result;
}

}  // namespace harness
