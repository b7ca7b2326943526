#include "harness/sim/simulation.h"

#include "harness/sim/virtual_world.h"

namespace harness {

RunRecord simulate(const RunSpec& spec, RowSink* rows) { return VirtualWorld(spec, rows).run(); }

}  // namespace harness
