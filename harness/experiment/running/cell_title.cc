#include "harness/experiment/running/cell_title.h"

#include <cmath>

#include "harness/core/param_list.h"
#include "harness/experiment/running/short_text.h"

namespace harness {

void add_names(JsonObject& object, const CellIdentity& cell, double slo_ms) {
  object.add("cell", cell.index);
  object.add("system", cell.system);
  object.add("variant", cell.variant);
  object.add("pipeline", cell.pipeline);
  object.add("trace", cell.trace);
  object.add("load", cell.load);
  object.add("seed", cell.seed);
  object.add("runtime", cell.runtime);
  object.add("answers", cell.answers);
  object.add("parameters", cell.parameters);
  object.add("series", cell.series);
  object.add("workload", cell.workload);
  object.add("slo_ms", slo_ms);
}

std::string cell_title(const CellIdentity& cell, double slo_ms) {
  std::string title = cell.system;
  if (cell.variant != "default") title += " (" + cell.variant + ")";
  title += " " + cell.pipeline + " " + cell.trace + " slo " + text_of(slo_ms) + " ms";
  if (!std::isnan(cell.load)) title += " load " + formatted("%.4g", cell.load);
  title += " seed " + std::to_string(cell.seed);
  if (cell.runtime != "simulated") title += " " + cell.runtime;
  return cell.parameters.empty() || cell.parameters == cell.variant ? title : title + " " + cell.parameters;
}

}  // namespace harness
