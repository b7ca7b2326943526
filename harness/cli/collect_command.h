// `harness collect DIR/STEM.cells`: a results file from what an unfinished run has finished.
#pragma once

namespace CLI {
class App;
}

namespace harness {

/// Adds the command to `app`. It throws InputError for a folder without finished cells.
void add_collect_command(CLI::App& app, int& exit_code);

}  // namespace harness
