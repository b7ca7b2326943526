// The rows of a run, kept in memory until it is over.
#pragma once

#include <span>
#include <vector>

#include "harness/record/run/row_sink.h"

namespace harness {

/// Keeps rows for runs in wall-clock time, which compressing rows and writing files would hold up. Takes 48
/// bytes a request and 72 a visit.
class RowBuffer : public RowSink {
 public:
  void requests(std::span<const RequestRow> rows) override {
    requests_.emplace_back(rows.begin(), rows.end());
  }
  void visits(std::span<const VisitRow> rows) override { visits_.emplace_back(rows.begin(), rows.end()); }

  /// Hands all rows on, in their order.
  void pass_to(RowSink& sink) const {
    for (const std::vector<RequestRow>& rows : requests_) sink.requests(rows);
    for (const std::vector<VisitRow>& rows : visits_) sink.visits(rows);
  }

 private:
  std::vector<std::vector<RequestRow>> requests_;
  std::vector<std::vector<VisitRow>> visits_;
};

}  // namespace harness
