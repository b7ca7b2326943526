// A comparison as text: a table for people, JSON and JUnit for programs.
#pragma once

#include <string>

#include "harness/record/comparison.h"

namespace harness {

/// A row per series and metric, then the cells that stopped or resumed, what is not comparable, the counts.
std::string comparison_table(const Comparison& comparison);
/// An object: the counts, `metrics` with numbers in full, and the lists of the table as texts.
std::string comparison_json(const Comparison& comparison);
/// JUnit's XML: a test case per series and metric and per cell that stopped or resumed; a regression fails.
/// What is not comparable is an error.
std::string comparison_junit(const Comparison& comparison);

}  // namespace harness
