#include "harness/record/hdf5/cell_file_writer.h"

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "harness/core/check.h"
#include "harness/record/hdf5/chunked_table.h"
#include "harness/record/hdf5/hdf5_handle.h"
#include "harness/record/hdf5/results_format.h"
#include "harness/record/hdf5/staged_file.h"
#include "harness/record/hdf5/stored_bucket.h"
#include "harness/record/hdf5/stored_module.h"
#include "harness/record/hdf5/stored_replay.h"
#include "harness/record/hdf5/stored_request.h"
#include "harness/record/hdf5/stored_states.h"
#include "harness/record/hdf5/stored_visit.h"
#include "harness/record/hdf5/stored_window.h"
#include "harness/record/hdf5/stored_worker.h"
#include "harness/record/hdf5/table_writer.h"

namespace harness {
namespace {

void write_tables(hid_t group, const RunRecord& record, const std::vector<std::string>& module_names) {
  write_table(group, "windows", stored_windows(record));
  write_table(group, "module_windows", stored_module_windows(record));
  write_table(group, "queue", stored_samples(record));
  write_table(group, "modules", stored_modules(record, module_names));
  write_table(group, "workers", stored_workers(record));
  write_table(group, "plans", record.plans);
  if (!record.groups.empty()) write_table(group, "groups", record.groups);
  write_table(group, "latency", stored_buckets(record));
  if (!record.ranks.empty()) write_table(group, "ranks", record.ranks);
  write_states(group, record.states);
  write_replay(group, record.replay);
}

}  // namespace

struct CellFileWriter::File {
  File(const std::string& path, const CellIdentity& identity, const std::vector<std::string>& names)
      : staged(path), cell(identity), module_names(names) {
    staged.write([&] { group = make_group(staged.id(), cell_group_name(cell.index)); });
    requests.emplace(group.get(), "requests");
    visits.emplace(group.get(), "visits");
  }

  StagedFile staged;
  CellIdentity cell;
  std::vector<std::string> module_names;
  Hdf5Handle group;
  std::optional<ChunkedTable<StoredRequest>> requests;
  std::optional<ChunkedTable<StoredVisit>> visits;
};

CellFileWriter::CellFileWriter(const std::string& path, const CellIdentity& cell,
                               const std::vector<std::string>& module_names)
    : file_(std::make_unique<File>(path, cell, module_names)) {}

CellFileWriter::~CellFileWriter() = default;

void CellFileWriter::requests(std::span<const RequestRow> rows) {
  file_->staged.write([&] { file_->requests->append(rows); });
}

void CellFileWriter::visits(std::span<const VisitRow> rows) {
  file_->staged.write([&] { file_->visits->append(rows); });
}

void CellFileWriter::finish(SummaryRow row, const RunRecord& record) {
  HARNESS_CHECK(record.modules.size() <= file_->module_names.size(), "a module of the record has no name");
  StagedFile& staged = file_->staged;
  staged.write([&] {
    file_->requests->flush();
    file_->visits->flush();
    write_format(staged.id(), kCellContents);
    write_attribute(file_->group.get(), "effective_toml", file_->cell.effective_toml);
    RunRecord::list(record, [&](const char* name, const auto& total) {
      if constexpr (std::is_integral_v<std::decay_t<decltype(total)>>)
        write_attribute(file_->group.get(), name, static_cast<std::int64_t>(total));
      else
        write_attribute(file_->group.get(), name, total);
    });
    write_tables(file_->group.get(), record, file_->module_names);
    row.cell = file_->cell;
    write_summary(staged.id(), {std::move(row)});
    file_->requests.reset();
    file_->visits.reset();
    file_->group.reset();
  });
  staged.commit(StagedFile::Durable::kSoon);
}

}  // namespace harness
