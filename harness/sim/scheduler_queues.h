// Schedulers that take time: a message for a scheduler waits until the scheduler has handled the messages
// before it. So a central scheduler saturates in virtual time as it does in reality (SHEPHERD, figure 10).
#pragma once

#include <algorithm>
#include <deque>
#include <vector>

#include "harness/core/types.h"
#include "harness/engine/event_queue.h"
#include "harness/sim/scheduler_message.h"

namespace harness {

/// The queues of messages of all schedulers. Each queue's scheduler is one processor: it handles its messages
/// in the order in which they come, each for the cost, and its decisions take effect when the cost has
/// passed. When a message has been handled, an event of the given kind is pushed, with the queue as index.
/// The runtime then takes the message, carries it out, and calls serve_next().
///
/// Only visits may be refused: a visit that would wait longer than the bound for its turn is refused before
/// it enters the queue of messages, which costs the scheduler nothing. All other messages are taken, because
/// a scheduler that does not hear of a batch's end would lose its worker.
///
/// The messages are the ones that a real scheduler would get: a visit arrives; a batch has ended or stopped
/// (one message, with the calls that follow it, on_batch_done and then on_worker_free or on_batch_started); a
/// request is cancelled; a module's state has come; a timer is due. The dispatcher's commands (plans, workers
/// added, drained or lost) are rare, act at once and cost nothing.
class SchedulerQueues {
 public:
  /// Makes queues in which no visit waits for longer than `longest_wait_ns` (kNever: no bound). Busy times
  /// count from `from_ns` to `until_ns`.
  SchedulerQueues(EventQueue& events, std::uint32_t kind, TimeNs cost_ns, TimeNs longest_wait_ns,
                  TimeNs from_ns, TimeNs until_ns)
      : events_(events),
        kind_(kind),
        cost_ns_(cost_ns),
        longest_wait_ns_(longest_wait_ns),
        from_ns_(from_ns),
        until_ns_(until_ns) {}

  /// True if a visit that comes now must be refused.
  bool is_full(TimeNs now, QueueId queue) const {
    return queue < processors_.size() && processors_[queue].work_ns(now, cost_ns_) > longest_wait_ns_;
  }

  void put(TimeNs now, QueueId queue, SchedulerMessage message) {
    if (processors_.size() <= queue) processors_.resize(queue + 1);
    Processor& processor = processors_[queue];
    processor.waiting.push_back(message);
    if (!processor.busy) serve_next(now, queue);
  }
  bool waits(QueueId queue) const { return !processors_[queue].waiting.empty(); }
  /// Removes and returns the message that came first, which has been handled.
  SchedulerMessage take(QueueId queue) {
    std::deque<SchedulerMessage>& waiting = processors_[queue].waiting;
    const SchedulerMessage first = waiting.front();
    waiting.pop_front();
    processors_[queue].handled_ns = kNever;
    return first;
  }
  /// Lets the scheduler, which is free, begin the next message.
  void serve_next(TimeNs now, QueueId queue) {
    Processor& processor = processors_[queue];
    processor.busy = !processor.waiting.empty();
    if (!processor.busy) return;
    const TimeNs busy_until_ns = std::min(now + cost_ns_, until_ns_);
    processor.busy_ns += std::max<TimeNs>(busy_until_ns - std::max(now, from_ns_), 0);
    processor.handled_ns = now + cost_ns_;
    events_.push(processor.handled_ns, kind_, queue);
  }

  /// Returns the busy time of the busiest queue's scheduler, including messages under way.
  TimeNs most_busy_ns() const {
    TimeNs most = 0;
    for (const Processor& processor : processors_) most = std::max(most, processor.busy_ns);
    return most;
  }

 private:
  struct Processor {
    std::deque<SchedulerMessage> waiting;  ///< messages in order, including the one under way
    bool busy = false;
    TimeNs handled_ns = kNever;  ///< end of the first message's handling; kNever: it is not under way
    TimeNs busy_ns = 0;

    /// Returns the time needed to handle all messages that are here.
    TimeNs work_ns(TimeNs now, TimeNs cost_ns) const {
      const auto whole = static_cast<TimeNs>(waiting.size());
      return handled_ns == kNever ? whole * cost_ns : handled_ns - now + (whole - 1) * cost_ns;
    }
  };

  EventQueue& events_;
  std::uint32_t kind_;
  TimeNs cost_ns_;
  TimeNs longest_wait_ns_;
  TimeNs from_ns_;
  TimeNs until_ns_;
  std::vector<Processor> processors_;  ///< processors by queue
};

}  // namespace harness
