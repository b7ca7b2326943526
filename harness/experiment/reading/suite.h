// A suite is a file that names experiments to be run in turn.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/files/table_reader.h"

namespace harness {

/// The contents of a suite's file.
struct Suite {
  std::string name;                  ///< name that it gives itself, else the file's stem
  std::vector<NamedAt> experiments;  ///< experiments as written, in order

  void list(ParamList& params);
};

/// Returns the suite in `text`; nothing if it has no key `suite` and so is an experiment. Throws InputError.
std::optional<Suite> parse_suite(const std::string& file_name, std::string_view text);

/// The experiments that a file given on the command line means.
struct ExperimentFiles {
  bool is_suite = false;
  std::string name;
  std::vector<std::string> files;  ///< the file itself, or the files of the suite's experiments
};

/// Reads a file as far as needed to tell. Throws InputError if it is not TOML, or if a file of a suite is
/// missing, is a suite too, or has the stem (and so the results file) of another.
ExperimentFiles experiment_files(const std::string& path);

}  // namespace harness
