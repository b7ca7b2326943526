// The part of the virtual world that carries messages, also over faulty links.
#include <algorithm>

#include "harness/sim/virtual_world.h"

namespace harness {

void VirtualWorld::deliver_over_faulty_links(std::span<const Delivery> deliveries) {
  for (const Delivery delivery : deliveries) {
    const std::optional<TimeNs> held = held_until(delivery.queue, LinkDirection::kDown);
    if (held == kNever) {
      dispatcher_.on_delivery_lost(now_, delivery.visit);
    } else if (!held && network_ns_ == 0) {
      arrive({&delivery, 1});
    } else {
      const std::uint32_t slot = deliveries_.put();
      deliveries_[slot].assign(1, delivery);
      events_.push(held.value_or(now_) + network_ns_, kDeliveries, slot);
    }
  }
}

void VirtualWorld::cancel(const Cancellation& cancellation) {
  if (!joins_end_ && tables_.visits[cancellation.visit].state == VisitState::kForming) return;
  TimeNs sent_ns = now_;
  if (links_are_faulty()) [[unlikely]] {
    sent_ns = held_until(tables_.visits[cancellation.visit].queue, LinkDirection::kDown).value_or(now_);
    if (sent_ns == kNever) return;
  }
  const std::uint32_t slot = cancellations_.put();
  cancellations_[slot] = cancellation;
  events_.push(sent_ns + network_ns_, kCancellation, slot);
}

void VirtualWorld::report(ModuleId module, QueueId queue, std::span<const double> values) {
  TimeNs sent_ns = now_;
  if (links_are_faulty()) [[unlikely]] {
    sent_ns = held_until(queue, LinkDirection::kUp).value_or(now_);
    if (sent_ns == kNever) return;
  }
  const std::uint32_t slot = values_.put();
  values_[slot].module = module;
  values_[slot].queue = queue;
  values_[slot].values.assign(values.begin(), values.end());
  events_.push(sent_ns + state_delay_ns_, kReport, slot);
}

void VirtualWorld::publish(ModuleId module, std::span<const double> state) {
  const std::uint32_t slot = values_.put();
  values_[slot].module = module;
  values_[slot].values.assign(state.begin(), state.end());
  values_[slot].except.clear();
  if (links_are_faulty()) [[unlikely]] {
    publish_over_faulty_links(values_[slot]);
  }
  events_.push(now_ + state_delay_ns_, kPublication, slot);
}

void VirtualWorld::publish_over_faulty_links(ValuesMessage& message) {
  for (const QueueView& view : dispatcher_.open_queues(message.module)) {
    const std::optional<TimeNs> held = held_until(view.id, LinkDirection::kDown);
    if (!held) continue;
    message.except.push_back(view.id);
    if (held == kNever) continue;
    events_.push(*held + state_delay_ns_, kLatePublication, put_publication_at(view.id, message));
  }
}

std::uint32_t VirtualWorld::put_publication_at(QueueId queue, const ValuesMessage& message) {
  const std::uint32_t slot = values_.put();
  values_[slot].module = message.module;
  values_[slot].queue = queue;
  values_[slot].values = message.values;
  return slot;
}

void VirtualWorld::handle_publication_at(std::uint32_t slot) {
  const ValuesMessage& message = values_[slot];
  queues_.on_publication_at(now_, message.queue, message.module, message.values);
  values_.release(slot);
}

void VirtualWorld::tell_publication(const ValuesMessage& message) {
  if (!schedulers_) {
    queues_.on_publication(now_, message.module, message.values, message.except);
    dispatcher_.on_publication(now_, message.module, message.values);
    return;
  }
  for (const QueueView& view : dispatcher_.open_queues(message.module)) {
    if (std::find(message.except.begin(), message.except.end(), view.id) == message.except.end())
      tell(view.id, {Message::kPublication, put_publication_at(view.id, message)});
  }
  dispatcher_.on_publication(now_, message.module, message.values);
}

bool VirtualWorld::holds_batch_done(WorkerId worker, const WorkerState& state) {
  const std::optional<TimeNs> held = held_until(state.queue, LinkDirection::kUp);
  if (!held) return false;
  if (held == kNever) {
    dispatcher_.on_batch_unheard(now_, worker, state);
    return true;
  }
  const std::uint32_t slot = notices_.put();
  BatchNotice& notice = notices_[slot];
  notice.worker = worker;
  notice.ended_ns = state.end_ns(now_);
  notice.state = state;
  events_.push(*held, kLateBatchDone, slot);
  return true;
}

void VirtualWorld::handle_late_batch_done(std::uint32_t slot) {
  const BatchNotice& notice = notices_[slot];
  heard_from_ = notice.state.queue;  // the same message acknowledges the visits to the router
  dispatcher_.on_late_batch_done(now_, notice.worker, notice.state, notice.ended_ns);
  heard_from_ = kNone;
  notices_.release(slot);
}

void VirtualWorld::acknowledge(ModuleId module, QueueId queue, int count) {
  if (links_are_faulty() && queue != heard_from_) [[unlikely]] {
    const std::optional<TimeNs> held = held_until(queue, LinkDirection::kUp);
    if (held == kNever) return;
    if (held) {
      const std::uint32_t slot = acknowledgements_.put();
      acknowledgements_[slot] = {module, queue, count};
      events_.push(*held + network_ns_, kAcknowledgement, slot);
      return;
    }
  }
  if (network_ns_ == 0) {
    dispatcher_.on_acknowledgement(module, queue, count);
    return;
  }
  const std::uint32_t slot = acknowledgements_.put();
  acknowledgements_[slot] = {module, queue, count};
  events_.push(now_ + network_ns_, kAcknowledgement, slot);
}

}  // namespace harness
