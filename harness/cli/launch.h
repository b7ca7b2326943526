// The option `-n N`, with which the program starts itself on N ranks.
#pragma once

namespace CLI {
class App;
}

namespace harness {

/// Adds the option -n,--ranks to a command.
void add_ranks_option(CLI::App& command);

/// Replaces this process by mpirun, which starts the program on several ranks with the same arguments but -n.
/// Does so if the parsed command or the one above it was given a number above one; or if it was given no
/// number, `otherwise` is more than one, mpirun is there and has not started this process. As root it sets
/// the variables that Open MPI asks for. With `speaks`, one line on standard error says what is run. Throws
/// InputError for a number within mpirun, EnvironmentError if the mpirun that was asked for cannot be
/// started.
void launch_if_asked(const CLI::App& command, bool speaks, int otherwise = 1);

}  // namespace harness
