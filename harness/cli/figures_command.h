// `harness figures RESULTS.h5`: draws the figures of an experiment.
#pragma once

namespace CLI {
class App;
}

namespace harness {

/// Adds the command to `app`. Its callback runs results/figures/draw.py and throws InputError for a bad
/// results file, EnvironmentError when Python or the script fails; `exit_code` stays as it is otherwise. The
/// environment variables HARNESS_PYTHON (an interpreter with h5py and matplotlib) and HARNESS_HOME (where
/// results/figures stands) override what the build found.
void add_figures_command(CLI::App& app, int& exit_code);

}  // namespace harness
