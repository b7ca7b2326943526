// Turns failures of HDF5 calls into exceptions, in place of printed error stacks. Internal to record/.
#pragma once

#include <exception>

namespace harness {

/// The failure of a call of the HDF5 library. It does not name the file: readers turn it into an InputError,
/// and writers into an EnvironmentError, which name the file.
class Hdf5Failure : public std::exception {
 public:
  /// `task` completes "could not ..." and must live as long as the program.
  explicit Hdf5Failure(const char* task) : task_(task) {}
  const char* what() const noexcept override { return task_; }

 private:
  const char* task_;
};

/// Starts the library, with links to other files and plugins disabled in the whole process, and turns off its
/// printing of errors for the calling thread: each thread that uses the library calls this first. A repeated
/// call is cheap. Throws std::bad_alloc like require_memory(), and Hdf5Failure if the library cannot start.
void prepare_hdf5();

/// Throws the failure of the library's last call as an exception: std::bad_alloc if the call lacked memory,
/// else Hdf5Failure(task).
[[noreturn]] void throw_failure(const char* task);

/// Calls throw_failure() if `result` is negative; otherwise returns it.
template <class Result>
Result checked(Result result, const char* task) {
  if (result < 0) throw_failure(task);
  return result;
}

}  // namespace harness
