#include "systems/inferline/traffic_envelope.h"

#include <algorithm>

namespace harness {

TrafficEnvelope::TrafficEnvelope(TimeNs shortest_ns, TimeNs longest_ns) {
  for (TimeNs window = shortest_ns; windows_.empty() || window <= longest_ns; window *= 2)
    windows_.push_back(window);
  most_.resize(windows_.size(), 0);
  first_.resize(windows_.size(), 0);
}

void TrafficEnvelope::add(TimeNs sent_ns) {
  sent_.push_back(sent_ns);
  for (std::size_t i = 0; i < windows_.size(); ++i) {
    std::size_t& first = first_[i];
    while (sent_ns - sent_[first] >= windows_[i]) ++first;
    most_[i] = std::max(most_[i], static_cast<std::uint32_t>(sent_.size() - first));
  }
  if (first_.back() > sent_.size() / 2 + 1024) forget();
}

void TrafficEnvelope::forget() {
  const std::size_t gone = first_.back();
  sent_.erase(sent_.begin(), sent_.begin() + static_cast<std::ptrdiff_t>(gone));
  for (std::size_t& first : first_) first -= gone;
}

}  // namespace harness
