// `harness compare BASE.h5 NEW.h5` and `harness compare --fidelity RESULTS.h5`: what became worse, and how
// true the simulation is.
#pragma once

namespace CLI {
class App;
}

namespace harness {

/// Adds the command to `app`. Its callback sets `exit_code` to 1 when a metric is a regression or a fidelity
/// beyond its tolerance, and throws InputError for a bad file and for what cannot be compared (the report of
/// the rest is printed before).
void add_compare_command(CLI::App& app, int& exit_code);

}  // namespace harness
