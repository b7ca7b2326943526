// `harness trace cv`: how predictable streams and groups of streams are (SHEPHERD, Figures 2 and 5).
#pragma once

namespace CLI {
class App;
}

namespace harness {

/// Adds the subcommand `cv` to `trace`. It prints to standard output and throws InputError.
void add_trace_cv_command(CLI::App& trace);

}  // namespace harness
