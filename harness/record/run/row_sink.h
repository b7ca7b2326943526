// The receiver of the rows of a run.
#pragma once

#include <span>

#include "harness/record/run/request_row.h"
#include "harness/record/run/visit_row.h"

namespace harness {

/// Takes rows in chunks while the run goes on. It is called from the run's thread. A run whose rows are not
/// wanted has no sink.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void requests(std::span<const RequestRow> rows) = 0;
  virtual void visits(std::span<const VisitRow> rows) = 0;
};

}  // namespace harness
