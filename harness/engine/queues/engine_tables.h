// The tables of live visits and of workers.
#pragma once

#include "harness/engine/accounting/slot_table.h"
#include "harness/engine/accounting/visit_record.h"
#include "harness/engine/worker_state.h"

namespace harness {

/// The tables on which the queues of a rank work. In virtual time the dispatcher works on the same tables; in
/// a live run each rank has its own, indexed by the same ids.
struct EngineTables {
  SlotTable<VisitRecord> visits;
  WorkerTable workers;
};

}  // namespace harness
