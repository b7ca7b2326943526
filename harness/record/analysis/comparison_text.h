// A comparison as text: a table for people, JSON and JUnit for programs.
#pragma once

#include <string>

#include "harness/record/analysis/comparison.h"

namespace harness {

/// Returns a table with a row per series and metric, then the cells that stopped or resumed, the differing
/// settings, the reasons why something is not comparable, and the counts.
std::string comparison_table(const Comparison& comparison);
/// Returns a JSON object: the counts, `metrics` with numbers in full, and the lists of the table as texts.
std::string comparison_json(const Comparison& comparison);
/// Returns JUnit's XML: a test case per series and metric and per cell that stopped or resumed. A regression
/// fails; a problem that makes something not comparable is an error.
std::string comparison_junit(const Comparison& comparison);

}  // namespace harness
