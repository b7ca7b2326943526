// `harness list systems|pipelines|profiles|devices`.
#pragma once

namespace CLI {
class App;
}

namespace harness {

/// Adds the command to `app`. It prints to standard output and throws InputError for broken files.
void add_list_command(CLI::App& app, int& exit_code);

}  // namespace harness
