// The loop of one rank of a live run: messages, due events, clocks, and the watch over the other ranks.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/live/run/live_dispatcher.h"
#include "harness/live/run/live_queues.h"
#include "harness/live/run/live_run.h"
#include "harness/live/run/rank_record.h"
#include "harness/live/tensors/tensor_channels.h"
#include "harness/live/transport/clock_offset.h"
#include "harness/ranks/watchdog.h"
#include "harness/record/run/rank_totals.h"
#include "harness/record/run/row_sink.h"
#include "harness/record/run/run_record.h"

namespace harness {

/// A steady clock, in ns.
using LiveClock = std::function<TimeNs()>;

/// The loop of one rank, for one cell. Rank 0 dispatches; with several ranks the others host the queues. Used
/// by one thread; tests step it by turn() over a clock of their own.
class LiveLoop {
 public:
  /// All arguments outlive this object; they are as for run_live(). `clock` gives the time of this rank.
  LiveLoop(const RunSpec& spec, const LiveRun& run, Transport& transport, RowSink* rows, LiveClock clock);

  /// Begins the run on this rank.
  void begin();
  /// Handles everything that is due; returns false if nothing was. Throws what ends the run here, after
  /// telling the other ranks.
  bool turn();
  /// Tells the other ranks that the run ends here, and why.
  void abort(std::string_view why);
  bool over() const { return phase_ == Phase::kOver; }
  /// Sleeps until something is due or arrives.
  void wait();
  /// Returns the time on the clock at which wait() ends at the latest.
  TimeNs wake_ns();
  /// Closes the accounting. Called at rank 0, once the run is over.
  RunRecord close();

 private:
  enum class Phase { kWaiting, kRunning, kCollecting, kOver };

  bool is_first() const { return transport_.rank() == 0; }
  /// Returns the time of the run on rank 0's clock; below 0 before the load starts.
  TimeNs now() const { return offset_.to_rank0(clock_()) - start_ns_; }
  /// Returns the time of the run at a time of this rank's clock; 0 before the load starts.
  TimeNs run_time(TimeNs local_ns) const {
    if (phase_ == Phase::kWaiting) return 0;
    return std::max<TimeNs>(offset_.to_rank0(local_ns) - start_ns_, 0);
  }

  void tell_all(MessageKind kind, std::string_view why);
  bool work();
  bool take_turn();
  TimeNs next_due_ns();
  void take(int from, std::span<const std::byte> bytes);
  void take_own(int from, Message& message);
  void handle(const Event& event);

  void ping();
  void take_pong(const ClockMessage& pong);
  void take_ready(int from, const Message& message);
  /// Starts once all ranks are ready and the GPUs' channels are open.
  void start_if_ready();
  void start();
  void finish();
  void take_record_piece(int from, Message& message);
  void send_record();
  void housekeeping();
  void look_for_silence();
  void look_for_end();
  void look_for_records();
  TimeNs patience_ns() const;
  void take_end();
  RankTotals totals() const;
  std::vector<std::string> notes() const;

  const RunSpec& spec_;
  const LiveRun& run_;
  Transport& transport_;
  Layout layout_;
  MessageWriter out_;
  TransportCounters before_;
  TimeNs cpu_before_ns_;
  LiveClock clock_;
  ClockOffset offset_;
  EventQueue events_;
  std::optional<LiveDispatcher> dispatcher_;
  std::optional<LiveQueues> queues_;
  /// Opens the GPUs' channels; at rank 0, if GPUs exchange tensors by themselves.
  std::optional<TensorChannels> channels_;
  TimeNs opening_ns_ = kNever;  ///< time since which the channels are being opened

  Phase phase_ = Phase::kWaiting;
  TimeNs began_ns_;
  TimeNs start_ns_ = 0;  ///< start of the load on rank 0's clock
  std::uint64_t turns_ = 0;
  std::uint64_t handled_ = 0;
  std::string why_invalid_;

  // Clock and watch.
  int bursts_ = 0;
  TimeNs heartbeat_ns_;  ///< time between heartbeats; several of them fit into the time after which silence
                         ///< counts
  int pings_left_ = 0;
  TimeNs next_burst_ns_ = kNever;  ///< time on this rank's steady clock, as the next two
  TimeNs next_beat_ns_ = 0;
  TimeNs next_progress_ns_ = 0;
  TimeNs clock_bound_ns_ = 0;
  TimeNs next_look_ns_ = 0;
  bool finishes_ = false;      ///< true if rank 0 waits for this rank's record
  bool heard_of_end_ = false;  ///< true if another rank has said why the run cannot go on
  LatencyHistogram due_late_;  ///< lateness of the events that were due here
  TimeNs due_latest_ns_ = 0;
  Watchdog watchdog_;
  std::vector<std::string> hosts_;
  int ready_ = 0;
  std::uint64_t seen_progress_ = 0;
  TimeNs progress_at_ns_ = 0;

  // The end.
  TimeNs collecting_ns_ = 0;  ///< time since which the next piece of a record is waited for
  int ended_ = 0;             ///< number of ranks that have not seen the end yet
  std::vector<RankRecord> rank_records_;
  std::vector<bool> has_record_of_;
  std::vector<std::vector<std::byte>> pieces_of_;  ///< bytes that have come of each rank's record
};

}  // namespace harness
