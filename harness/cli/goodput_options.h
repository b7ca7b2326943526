// The goodput of one GPU, a column of profiles (`harness profile --goodput`).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace harness {

/// The options of --goodput.
struct GoodputOptions {
  std::vector<double> slos_ms;  ///< SLOs in rising order; empty: no goodput is looked for
  double share = 0.99;
  int requests = 20'000;
  std::string profiles;  ///< existing set whose models get it; empty: the models just measured
};

/// Throws InputError for an option that is out of its range.
void check_goodput(const GoodputOptions& options);

/// Returns `text`, a file of profiles, with the goodput of all of its models. Prints a line for each model if
/// `verbose`. `file` is for messages. Throws InputError.
std::string text_with_goodput(const std::string& file, const std::string& text, const GoodputOptions& options,
                              std::uint64_t seed, bool verbose);

/// Adds the goodput to the set `options.profiles`, and writes it to `output`, which may be the same file.
/// Returns the exit code. Throws InputError, EnvironmentError.
int add_goodput(const GoodputOptions& options, std::uint64_t seed, const std::string& output);

}  // namespace harness
