// The cell, and the time of its run, that a command was asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/core/types.h"
#include "harness/record/hdf5/cell_contents.h"

namespace harness {

/// Returns the cell that was named by --cell, or the only one of the file. Throws InputError if none was
/// named and the file has several, or if there is no such cell.
std::uint32_t chosen_cell(const std::string& path, std::optional<std::uint32_t> named);

/// Reads the cell. Throws InputError if it was skipped, if it keeps no rows (and says what would keep them),
/// or if a row names a module that the cell does not have.
CellContents cell_with_rows(const std::string& path, std::uint32_t cell);

/// Throws InputError if a row names a module that the cell does not have.
void require_known_modules(const std::string& path, const CellContents& cell);

/// Reads a time since the start of the load: "31.2s", "31.2" or "31200ms". Throws InputError that names the
/// option.
TimeNs time_of_run(const char* option, const std::string& text);

}  // namespace harness
