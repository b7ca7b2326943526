// The rows of a cell in the orders in which `harness explain` looks them up: it finds what was where at a
// moment without going through all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/record/hdf5/cell_contents.h"

namespace harness {

struct RowBatch;

/// Looks up rows by request, worker, module and time.
class ExplainRows {
 public:
  /// `cell` of the file at `path` is from cell_with_rows() (chosen_cell.h), and must outlive this.
  ExplainRows(std::string path, const CellContents& cell);

  const std::string& path() const { return path_; }
  const CellContents& cell() const { return cell_; }
  const std::string& module_name(std::uint16_t module) const { return cell_.module_names[module]; }
  /// Returns the request; null if there is no such request.
  const RequestRow* request(std::uint64_t id) const;
  /// Returns the visits of a request, with modules near the entry first.
  std::vector<const VisitRow*> visits_of(std::uint64_t request) const;
  /// Returns the request's deadline; by the cell's SLO if the file does not say the request's own.
  TimeNs deadline_ns(const RequestRow& request) const;
  /// Returns the time when the last request ended.
  TimeNs end_ns() const;
  TimeNs slo_ns(const RequestRow& request) const;

  /// Returns the batches of the worker that ran at some time between the two, in order of their starts.
  std::span<const RowBatch> batches_on(std::uint32_t worker, TimeNs from_ns, TimeNs until_ns) const;
  /// Returns the batches of the module that run at that moment (start <= at < end), by worker.
  std::vector<RowBatch> batches_at(std::uint16_t module, TimeNs at_ns) const;
  /// The number of batches of the module that started in [from, until), and of the visits in them.
  struct Started {
    std::uint64_t batches = 0;
    std::uint64_t visits = 0;
  };
  Started started_between(std::uint16_t module, TimeNs from_ns, TimeNs until_ns) const;
  /// Returns the number of visits that had arrived at the module by then and whose batch had not started.
  std::uint64_t waiting_at(std::uint16_t module, TimeNs at_ns) const;
  /// Returns the number of visits of the same module that arrived after this one and whose batch started
  /// before this one left.
  std::uint64_t served_before(const VisitRow& visit) const;
  /// Returns the module's part of the plan in force; null if no plan is in force yet.
  const PlanRow* plan_at(std::uint16_t module, TimeNs at_ns) const;
  /// Returns the row of the newest state that the module's controller published before then.
  std::optional<std::size_t> state_before(std::uint16_t module, TimeNs at_ns) const;

 private:
  struct Arrival {
    TimeNs at_ns = 0;
    TimeNs started_ns = kNever;
  };
  struct ModuleRows {
    std::vector<Arrival> arrivals;  ///< arrivals of visits, sorted by time
    std::vector<TimeNs> left_ns;    ///< times at which visits left the queue, sorted
    std::vector<RowBatch> by_start;
    TimeNs longest_ns = 0;  ///< duration of the longest of these batches
    std::vector<std::size_t> states;
  };

  void index_visits();
  void index_modules();
  void collect_batches();
  /// Returns the index of a request in `requests_`, or their number if there is no such request.
  std::size_t place_of(std::uint64_t request) const;
  /// Returns the first of the module's arrivals after that time.
  auto first_after(std::uint16_t module, TimeNs at_ns) const;

  std::string path_;
  const CellContents& cell_;
  std::vector<const RequestRow*> requests_;  ///< requests by id
  std::vector<const VisitRow*> visits_;      ///< visits by the index of their request in `requests_`
  std::vector<std::size_t> first_visit_;     ///< place of each request's first visit, and one entry more
  std::vector<RowBatch> batches_;            ///< batches by worker, then start
  std::vector<ModuleRows> modules_;
};

/// A batch, as the rows of its visits tell. A batch that was preempted left no rows.
struct RowBatch {
  std::uint32_t worker = 0;
  std::uint16_t module = 0;
  std::uint16_t size = 0;
  TimeNs start_ns = 0;
  TimeNs end_ns = 0;
};

/// True if batches were preempted: then rows do not know all batches.
bool has_preempted(const CellContents& cell);

}  // namespace harness
