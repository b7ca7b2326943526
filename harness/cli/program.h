// The program `harness`: its commands, and what it says of errors.
#pragma once

namespace harness {

/// Runs the command line and returns the exit code (README.md lists them). Errors go to standard error as one
/// line.
int run_program(int argc, char** argv);

}  // namespace harness
