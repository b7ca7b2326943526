// The environment fails while the program runs. An outcome (dropped, late) is data, never an exception.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace harness {

/// The environment failed while running (disk full, read-only folder). The program exits with 3; finished
/// results stay.
class EnvironmentError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Returns what to tell a user about what was thrown: its what(), or that there is not enough memory.
std::string reason_of(const std::exception& error);

}  // namespace harness
