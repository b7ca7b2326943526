// `harness doctor`: whether this machine, or this job's ranks, can run an experiment, and how well.
#pragma once

namespace CLI {
class App;
}

namespace harness {

/// Adds the command to `app`. Under mpirun all ranks take part and rank 0 prints a line for each finding to
/// standard output. Sets `exit_code`: 0, or 1 when something will not work. Throws InputError for a broken
/// experiment.
void add_doctor_command(CLI::App& app, int& exit_code);

}  // namespace harness
