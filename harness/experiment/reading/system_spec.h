// An entry [[system]] of an experiment file.
#pragma once

#include <string>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/files/table_reader.h"

namespace harness {

/// [[system]]: a system under a name of its own in the results.
struct SystemSpec {
  std::string name;
  std::string library;                 ///< shared library that the system comes with, as written; "": none
  std::string variant;                 ///< name of the variant; "default" if nothing is overridden
  std::string planner;                 ///< system by whose plans it serves; "": its own
  std::vector<Assignment> overrides;   ///< parameters of the system and its planner, and shared settings
  std::vector<std::string> pipelines;  ///< pipelines on which the entry makes cells (`only`); empty: all
  std::vector<std::string> traces;     ///< traces on which it makes cells (`only`); empty: all
  std::vector<NamedAt> settings;       ///< names of [[setting]] in which it makes cells (`only`); empty: all
  InputPlace place;                    ///< place of its name

  void list(ParamList& params);
};

/// Returns true if the entry makes cells on that pipeline and trace of the experiment.
bool makes_cells(const SystemSpec& system, const std::string& pipeline, const std::string& trace);

/// Returns true if the system makes cells in the setting of that name.
bool makes_cells_in(const SystemSpec& system, const std::string& setting);

/// Returns true if the section holds parameters of the entry's system or of its planner.
inline bool is_of(const std::string& section, const SystemSpec& system) {
  return section == system.name || section == system.planner;
}

}  // namespace harness
