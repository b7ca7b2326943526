// `harness FILE.toml`: runs an experiment.
#pragma once

namespace CLI {
class App;
}

namespace harness {

/// Adds the arguments of a run to the top level of `app`; without a subcommand they run the experiment. The
/// callback throws InputError and EnvironmentError and otherwise sets `exit_code`, which must outlive the
/// parse.
void add_run_command(CLI::App& app, int& exit_code);

}  // namespace harness
