// `harness show RESULTS.h5`: a row per cell, or with --paired a comparison seed by seed.
#pragma once

namespace CLI {
class App;
}

namespace harness {

/// Adds the command to `app`. Its callback throws InputError for a bad file or an unknown column, metric or
/// series; `exit_code` stays as it is otherwise.
void add_show_command(CLI::App& app, int& exit_code);

}  // namespace harness
