// Schedulers that take their time: what is for a scheduler waits
// until it has handled what came before, so that a central one saturates in virtual time as it does in life
// (SHEPHERD, figure 10).
#pragma once

#include <algorithm>
#include <deque>
#include <vector>

#include "harness/engine/event_queue.h"

namespace harness {

/// A message for the scheduler of a queue, and what it concerns.
struct SchedulerMessage {
  enum class Kind : std::uint32_t {
    kArrival,         ///< index: the visit
    kBatchDone,       ///< index: the worker
    kBatchPreempted,  ///< index: the worker
    kCancellation,    ///< index: the runtime's slot
    kPublication,     ///< a module's state; index: the runtime's slot
    kTimer,           ///< index: the queue
  };
  Kind kind = Kind::kArrival;
  std::uint32_t index = 0;
};

/// Each queue's scheduler is one processor: it handles its messages in order of their coming, each for
/// the cost, and what it decides takes effect when the cost has passed. Pushes an event of one kind, with the
/// queue as index, when a message has been handled: the runtime then takes it, carries it out, and calls
/// serve_next.
///
/// The queue of messages is bounded for visits alone: one that would wait longer than the bound for its turn
/// is refused before it gets there, which costs the scheduler nothing. Everything else is always taken: a
/// scheduler that does not hear of a batch's end has lost its worker.
///
/// A message is what a real scheduler would be sent: a visit arrives; a batch has ended or stopped (one
/// message, with the calls that follow it, on_batch_done and then on_worker_free or on_batch_started); a
/// request is cancelled; a module's state has come; a timer is due. What the dispatcher commands (plans,
/// workers added, drained or lost) is rare, acts at once and costs nothing.
class SchedulerQueues {
 public:
  /// No visit waits for longer than `longest_wait_ns` (kNever: without a bound). Busy times count from
  /// `from_ns` to `until_ns`.
  SchedulerQueues(EventQueue& events, std::uint32_t kind, TimeNs cost_ns, TimeNs longest_wait_ns,
                  TimeNs from_ns, TimeNs until_ns)
      : events_(events),
        kind_(kind),
        cost_ns_(cost_ns),
        longest_wait_ns_(longest_wait_ns),
        from_ns_(from_ns),
        until_ns_(until_ns) {}

  /// Whether there is no room for a visit that comes now.
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
  /// The message that came first.
  SchedulerMessage take(QueueId queue) {
    std::deque<SchedulerMessage>& waiting = processors_[queue].waiting;
    const SchedulerMessage first = waiting.front();
    waiting.pop_front();
    processors_[queue].handled_ns = kNever;
    return first;
  }
  /// The scheduler is free for the next message.
  void serve_next(TimeNs now, QueueId queue) {
    Processor& processor = processors_[queue];
    processor.busy = !processor.waiting.empty();
    if (!processor.busy) return;
    const TimeNs busy_until_ns = std::min(now + cost_ns_, until_ns_);
    processor.busy_ns += std::max<TimeNs>(busy_until_ns - std::max(now, from_ns_), 0);
    processor.handled_ns = now + cost_ns_;
    events_.push(processor.handled_ns, kind_, queue);
  }

  /// The largest of the times for which a queue's scheduler has handled messages, those under way too.
  TimeNs most_busy_ns() const {
    TimeNs most = 0;
    for (const Processor& processor : processors_) most = std::max(most, processor.busy_ns);
    return most;
  }

 private:
  struct Processor {
    std::deque<SchedulerMessage> waiting;  ///< the one being handled too
    bool busy = false;
    TimeNs handled_ns = kNever;  ///< when the first has been handled; kNever: none is under way
    TimeNs busy_ns = 0;

    /// What it takes to handle all that is here.
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
  std::vector<Processor> processors_;  ///< by queue
};

}  // namespace harness
