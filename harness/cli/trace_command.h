// `harness trace info|make|import|cv`.
#pragma once

namespace CLI {
class App;
}

namespace harness {

/// Adds the subcommand `trace` to `app`. It prints to standard output, throws InputError or EnvironmentError,
/// and sets `exit_code` (0; 1 when `trace import` did not find every trace). `exit_code` must outlive the
/// parse.
void add_trace_command(CLI::App& app, int& exit_code);

}  // namespace harness
