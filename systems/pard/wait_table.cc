#include "systems/pard/wait_table.h"

namespace harness {

WaitTable WaitTable::uniform(TimeNs exec_ns) {
  WaitTable table;
  for (int i = 0; i < kPoints; ++i) {
    table.at[static_cast<std::size_t>(i)] =
        static_cast<float>(static_cast<double>(exec_ns) * i / static_cast<double>(kSegments));
  }
  return table;
}

}  // namespace harness
