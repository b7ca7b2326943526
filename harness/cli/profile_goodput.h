// The goodput of one GPU, a column of profiles (`harness profile --goodput`).
#pragma once

#include <string>
#include <vector>

#include "harness/experiment/goodput_search.h"

namespace harness {

/// What the user asked for.
struct GoodputOptions {
  std::vector<double> slos_ms;  ///< rising; empty: none is looked for
  double share = 0.99;
  int requests = 20'000;
  std::string profiles;  ///< an existing set whose models get it; empty: those just measured
};

/// Throws InputError for an option that is out of its range.
void check_goodput(const GoodputOptions& options);

/// `text`, a file of profiles, with the goodput of all of its models. Prints a line for each model when
/// `verbose`. `file` is for messages. Throws InputError.
std::string text_with_goodput(const std::string& file, const std::string& text, const GoodputOptions& options,
                              std::uint64_t seed, bool verbose);

/// The same for the set `options.profiles`, written to `output`, which may be the same file: the exit code.
/// Throws InputError, EnvironmentError.
int add_goodput(const GoodputOptions& options, std::uint64_t seed, const std::string& output);

}  // namespace harness
