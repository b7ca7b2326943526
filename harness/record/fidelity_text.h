// The fidelity of a simulation as text: a table for people, JSON and JUnit for programs.
#pragma once

#include <string>

#include "harness/record/fidelity.h"
#include "harness/record/text_table.h"

namespace harness {

/// A row per live cell and metric, then the cells that are not ok or stand alone, then the counts.
std::string fidelity_table(const Fidelity& fidelity);
/// An object: the counts, `rows` with numbers in full, and the lists of the table as texts; before them
/// `pace`, a table of how fast the devices were, where there is one.
std::string fidelity_json(const Fidelity& fidelity, const TextTable* paces = nullptr);
/// JUnit's XML: a test case per live cell and metric, "beyond" and "invalid" fail; a cell alone is an error.
std::string fidelity_junit(const Fidelity& fidelity);

}  // namespace harness
