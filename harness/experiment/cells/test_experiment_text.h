// Experiments written as text: read, refused, made into cells.
#pragma once

#include <string>
#include <vector>

#include "harness/core/test_refusal.h"
#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/cells/prepared_cell.h"

namespace harness {

/// Returns the experiment of this text, read as the file exp/test.toml.
inline ExperimentSpec parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_experiment("exp/test.toml", text, overrides);
}

/// Returns a [[sweep]] of `key` over `values`, an array.
inline std::string sweep(const std::string& key, const std::string& values) {
  return "[[sweep]]\nkey = \"" + key + "\"\nvalues = " + values + "\n";
}

/// Returns every cell of the experiment, prepared, in order.
inline std::vector<PreparedCell> prepare_all(const ExperimentSpec& spec, const std::string& build = "b") {
  CellFactory factory(spec, build);
  std::vector<PreparedCell> cells;
  for (const Cell& cell : factory.cells()) cells.push_back(factory.prepare(cell));
  return cells;
}

/// Returns the message that refuses this text when it is read.
inline std::string error_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return refusal_of([&] { parse(text, overrides); });
}

/// Returns the message that refuses this text when it is read or when its cells are prepared.
inline std::string error_of_cells(const std::string& text) {
  return refusal_of([&] { prepare_all(parse(text)); });
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace harness
