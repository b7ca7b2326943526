// harness replay: repeats the decisions of recorded runs.
#pragma once

namespace CLI {
class App;
}

namespace harness {

/// Adds the command to `app`. It sets `exit_code` to 1 when something differs.
void add_replay_command(CLI::App& app, int& exit_code);

}  // namespace harness
