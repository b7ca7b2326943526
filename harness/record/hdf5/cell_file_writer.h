// The file of a cell, written while it runs.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/record/run/row_sink.h"
#include "harness/record/run/run_record.h"
#include "harness/record/run/summary_row.h"

namespace harness {

/// Writes one cell: rows while the run goes on, the rest at finish(). The file appears under its name only
/// when it is complete (temporary name beside it, fsync, rename). If the writer is destroyed before finish(),
/// it removes the temporary file. Throws EnvironmentError (disk full, read-only folder) naming the path.
class CellFileWriter : public RowSink {
 public:
  CellFileWriter(const std::string& path, const CellIdentity& cell,
                 const std::vector<std::string>& module_names);
  ~CellFileWriter() override;
  void requests(std::span<const RequestRow> rows) override;
  void visits(std::span<const VisitRow> rows) override;
  void finish(SummaryRow row, const RunRecord& record);

 private:
  struct File;
  std::unique_ptr<File> file_;
};

}  // namespace harness
