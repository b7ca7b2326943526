// A suite: a file that names experiments to be run in turn.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/experiment/experiment_spec.h"

namespace harness {

/// A suite's file, read.
struct Suite {
  std::string name;                  ///< what it calls itself, else the file's stem
  std::vector<NamedAt> experiments;  ///< as written, in order
};

/// The suite in `text`; nothing when it has no key `suite`, and so is an experiment. Throws InputError.
std::optional<Suite> parse_suite(const std::string& file_name, std::string_view text);

/// What a file given on the command line stands for.
struct ExperimentFiles {
  bool is_suite = false;
  std::string name;
  std::vector<std::string> files;  ///< the file itself, or those of the suite's experiments
};

/// Reads a file as far as needed to tell. Throws InputError: not TOML, a suite with a file that is missing,
/// is a suite too, or has the stem (and so the results file) of another.
ExperimentFiles experiment_files(const std::string& path);

}  // namespace harness
