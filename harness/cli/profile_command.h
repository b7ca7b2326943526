// `harness profile`: measures models on a device of this machine and writes their profiles (docs/profile.md).
#pragma once

namespace CLI {
class App;
}

namespace harness {

/// Adds the command to `app`. What it measured is written after each model, so that a later failure loses
/// nothing. Sets `exit_code`: 0, or 1 when a model failed and others are in the file. Throws InputError when
/// the request is wrong or nothing could be measured because a model is none, EnvironmentError otherwise;
/// then nothing was written. Under mpirun rank 0 measures alone.
void add_profile_command(CLI::App& app, int& exit_code);

}  // namespace harness
