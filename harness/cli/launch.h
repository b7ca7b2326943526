// `-n N`: the program starts itself on N ranks.
#pragma once

namespace CLI {
class App;
}

namespace harness {

/// Adds the option -n,--ranks to a command.
void add_ranks_option(CLI::App& command);

/// Where the parsed command or the one above it was given more than one rank, or none and `otherwise` is more
/// and this is not within mpirun: replaces this process by mpirun, which starts the program on so many, with
/// the same arguments but -n. As root it sets the variables that Open MPI asks for. With `speaks`, one line
/// on standard error says what is run. Throws InputError for a number that is none or within mpirun,
/// EnvironmentError when the mpirun that was asked for cannot be started.
void launch_if_asked(const CLI::App& command, bool speaks, int otherwise = 1);

}  // namespace harness
