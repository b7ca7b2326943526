// The origin of a results file.
#pragma once

#include <cstdint>
#include <string>

#include "harness/core/types.h"

namespace harness {

/// The provenance of a results file: the experiment, the program and the machine that made it. It is written
/// as attributes of the root.
struct Provenance {
  std::string experiment;       ///< stem of the experiment's file
  std::string experiment_toml;  ///< effective text of that file, --set applied
  std::string git_commit;       ///< commit of the build; "unknown" outside a clone
  bool git_dirty = false;
  std::string versions;  ///< versions: "harness 0.1.0, gcc 12.2.0, HDF5 1.10.8, ..."
  std::string machine;   ///< processor, cores
  double wall_s = 0;     ///< time from the start of the program to the assembly
  /// Hash of the program and of the contents of all files that the experiment names; "": not known.
  std::string experiment_inputs;
  /// Number of cells of the whole experiment, of which the file may hold a part; 0: not known.
  std::uint64_t experiment_cells = 0;
  TimeNs clock_bound_ns = 0;  ///< largest bound of the cells; assemble_results() takes it from their files

  bool operator==(const Provenance&) const = default;
};

}  // namespace harness
