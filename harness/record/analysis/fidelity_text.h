// A simulation's fidelity as text: a table for people, JSON and JUnit for programs.
#pragma once

#include <string>

#include "harness/record/analysis/fidelity.h"
#include "harness/text/text_table.h"

namespace harness {

/// Returns a table with a row per live cell and metric, then the cells that are not ok or have no
/// counterpart, then the counts.
std::string fidelity_table(const Fidelity& fidelity);
/// Returns a JSON object: `slowdown`, a table of the devices' speeds (unless null), the counts, `rows` with
/// numbers in full, and the lists of the table as texts.
std::string fidelity_json(const Fidelity& fidelity, const TextTable* slowdowns = nullptr);
/// Returns JUnit's XML: a test case per live cell and metric, in which "beyond" and "invalid" fail. A cell
/// without a counterpart is an error.
std::string fidelity_junit(const Fidelity& fidelity);

}  // namespace harness
