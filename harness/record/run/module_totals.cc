#include "harness/record/run/module_totals.h"

namespace harness {

ModuleTotals& ModuleTotals::operator-=(const ModuleTotals& part) {
  sums(*this, part, [](auto& whole, const auto& of_part) { whole -= of_part; });
  queueing_delay.remove_all(part.queueing_delay.counts());
  batch_wait.remove_all(part.batch_wait.counts());
  ends.last_slot -= part.ends.last_slot + 1;  // slots are counted from the end of the part
  return *this;
}

}  // namespace harness
