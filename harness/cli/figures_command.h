// `harness figures RESULTS.h5`: draws the figures of an experiment.
#pragma once

namespace CLI {
class App;
}

namespace harness {

/// Adds the command to `app`. Its callback runs results/figures/draw.py and throws InputError for a bad
/// results file, EnvironmentError when Python or the script fails; sets `exit_code` to 2 when a figure's name
/// is unknown or nothing could be drawn (the script has said so), otherwise to 0. The environment variables
/// HARNESS_PYTHON (an interpreter with h5py and matplotlib) and HARNESS_HOME (where results/figures stands)
/// override what the build found.
void add_figures_command(CLI::App& app, int& exit_code);

}  // namespace harness
