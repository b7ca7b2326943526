#include "harness/record/run/drop_places.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "harness/record/run/module_totals.h"

namespace harness {

DropPlaces drop_places(const RunRecord& record) {
  DropPlaces places;
  int depth = 0;
  for (const ModuleTotals& module : record.modules) depth = std::max<int>(depth, module.depth);
  const auto add = [&places, depth](std::uint64_t count, bool last, int at) {
    places.all += count;
    if (last) places.last += count;
    if (2 * at > depth) places.latter_half += count;
    if (at <= 2) places.first_two += count;
  };
  for (const ModuleTotals& module : record.modules) {
    add(std::accumulate(module.dropped.begin(), module.dropped.end(), std::uint64_t{0}), module.last,
        module.depth);
  }
  add(record.late, true, depth);
  return places;
}

}  // namespace harness
