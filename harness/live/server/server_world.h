// The runtime against a running server: sends the load of one cell on schedule, and takes the answers.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "harness/core/request_sizes.h"
#include "harness/core/types.h"
#include "harness/engine/accounting/accounting.h"
#include "harness/engine/dispatch/dispatcher.h"
#include "harness/engine/queues/engine_tables.h"
#include "harness/engine/run_spec.h"
#include "harness/engine/to_queues.h"
#include "harness/live/run/load_generator.h"
#include "harness/live/server/server_run.h"
#include "harness/record/run/row_sink.h"
#include "harness/record/run/run_record.h"
#include "harness/remote/http_client.h"
#include "harness/remote/http_end.h"

namespace harness {

/// Runs one cell against a server. Requests, splits and merges are the engine's; each visit is a call of its
/// own, and the server batches as it likes. A visit starts when its call gets a connection and ends with the
/// answer, so that batches, queueing and GPU time are not known. Single-threaded.
class ServerWorld final : private ToQueues {
 public:
  /// All arguments outlive this object; `rows` may be null.
  ServerWorld(const RunSpec& spec, const ServerRun& run, RowSink* rows);
  /// Sends the whole load and waits for all answers; returns the record.
  RunRecord run();

 private:
  TimeNs now() const;
  void deliver(std::span<const Delivery> deliveries) override;
  /// Does nothing: a call that is under way cannot be taken back. Its visit ends with the answer.
  void cancel(const Cancellation&) override {}
  void set_plan(TimeNs, const Plan&) override {}
  void open_queue(TimeNs now, QueueId queue, GroupId group, std::uint32_t gpu) override;
  void add_worker(TimeNs now, QueueId queue, WorkerId worker) override;
  void publish(ModuleId, std::span<const double>) override {}
  void acknowledge(ModuleId module, QueueId queue, int count) override;
  void drain_worker(TimeNs, WorkerId, bool) override;
  void lose_workers(TimeNs, QueueId, std::span<const WorkerId>, bool) override;
  void start_worker(WorkerId, TimeNs) override;

  void send_due();
  void take_answers();
  void take(const HttpEnd& end);
  void finish(VisitId visit, const HttpEnd& end);
  void note_fault(ModuleId module, const HttpEnd& end, const std::string& fault);
  bool is_over() const { return generator_.done() && dispatcher_.live_requests() == 0; }
  void report_progress();

  const RunSpec& spec_;
  const ServerRun& run_;
  RequestSizes sizes_;
  ServingContext context_;
  EngineTables tables_;
  Accounting accounting_;
  Dispatcher dispatcher_;
  LoadGenerator generator_;
  HttpClient client_;
  TimeNs start_ns_ = 0;  ///< start of the load on the steady clock
  TimeNs now_ = 0;       ///< time of the run at which what is being handled happened
  TimeNs last_end_ns_ = 0;
  TimeNs next_report_ns_ = 0;
  TimeNs latest_ns_ = 0;  ///< largest lateness of a turn of the loop
  std::uint64_t handled_ = 0;
  std::uint64_t turns_ = 0;
  std::string why_invalid_;
  std::vector<WorkerId> first_worker_;  ///< worker that stands for the server, by queue
  std::vector<HttpEnd> ends_;
  std::set<std::tuple<ModuleId, HttpError, int>> noted_;  ///< kinds of faults that have a note
  std::vector<std::string> notes_;                        ///< lines on the first things that went wrong
};

}  // namespace harness
