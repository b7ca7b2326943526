// The experiment's file, assembled from the files of its cells.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/record/hdf5/provenance.h"

namespace harness {

/// Assembles the experiment's file from files of finished cells, by temporary name and rename; rows are in
/// the order of the cells' indices. A cell that occurs again with the same input hash is taken from the first
/// file that has it. `before_each` is called before each file is read; if it throws, nothing is written.
/// Throws InputError if two different cells have the same index.
void assemble_results(const std::string& path, const std::vector<std::string>& cell_files,
                      const Provenance& provenance, const std::function<void()>& before_each = {});

}  // namespace harness
