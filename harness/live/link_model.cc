#include "harness/live/link_model.h"

#include <algorithm>
#include <cstdio>

namespace harness {

void LinkModel::add(TimeNs way_ns, std::uint64_t messages) {
  ways_.add(way_ns, messages);
  most_ns_ = std::max(most_ns_, way_ns);
}

void LinkModel::add_round_trip(TimeNs round_trip_ns) { add(round_trip_ns / 2, 2); }

void LinkModel::add_one_way(TimeNs sent_ns, TimeNs received_ns, TimeNs sent_bound_ns,
                            TimeNs received_bound_ns) {
  add(std::max(received_ns - sent_ns, TimeNs{0}), 1);
  bound_ns_ = std::max(bound_ns_, sent_bound_ns + received_bound_ns);
}

LinkDelay LinkModel::delay() const {
  LinkDelay delay;
  delay.messages = ways_.total();
  delay.low_ns = ways_.quantile(0.05);
  delay.median_ns = ways_.quantile(0.5);
  delay.high_ns = ways_.quantile(0.95);
  delay.most_ns = most_ns_;
  delay.bound_ns = bound_ns_;
  return delay;
}

double hop_delay_ms(const LinkDelay& delay, int modules) {
  return ns_to_ms(delay.median_ns) * (2 * modules - 1) / modules;
}

std::string text_of(const LinkDelay& delay) {
  if (delay.messages == 0) return "not measured";
  char text[200];
  std::snprintf(text, sizeof text, "%.3g ms (5 %% to 95 %%: %.3g to %.3g ms; %llu messages",
                ns_to_ms(delay.median_ns), ns_to_ms(delay.low_ns), ns_to_ms(delay.high_ns),
                static_cast<unsigned long long>(delay.messages));
  std::string whole = text;
  if (delay.bound_ns > 0) {
    std::snprintf(text, sizeof text, "; clocks within %.3g ms", ns_to_ms(delay.bound_ns));
    whole += text;
  }
  return whole + ")";
}

}  // namespace harness
