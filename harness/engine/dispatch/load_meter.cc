#include "harness/engine/dispatch/load_meter.h"

#include <cmath>
#include <utility>

namespace harness {

std::vector<double> peaks_at(const RunSpec& spec, TimeNs period_ns, TimeNs now) {
  const auto period = static_cast<std::size_t>(period_ns > 0 ? now / period_ns : 0);
  return period < spec.peak_rps.size() ? spec.peak_rps[period] : std::vector<double>{};
}

LoadMeter::LoadMeter(const RunSpec& spec, TimeNs period_ns, const RequestFlow& flow,
                     const Accounting& accounting)
    : spec_(spec),
      period_ns_(period_ns),
      flow_(flow),
      accounting_(accounting),
      keeps_sent_(spec.system->traits().wants_sample && period_ns > 0),
      arrived_(spec.pipeline.modules.size(), 0),
      done_(spec.pipeline.modules.size(), 0),
      caused_(flow.caused()) {}

LoadStatistics LoadMeter::take(TimeNs now, std::span<const std::uint64_t> arrived) {
  LoadStatistics load;
  load.module_rps.resize(arrived_.size());
  const double seconds = ns_to_s(now - at_ns_);
  for (std::size_t m = 0; m < arrived_.size(); ++m) {
    // A variant that has lost its queue to another may have fewer arrivals than before.
    const auto more = static_cast<std::int64_t>(arrived[m] - arrived_[m]);
    load.module_rps[m] = static_cast<double>(more) / seconds;
    arrived_[m] = arrived[m];
  }
  for (ModuleId m = 0; m < arrived_.size(); ++m) {
    if (spec_.pipeline.modules[m].pres.empty()) load.offered_rps += load.module_rps[m];
  }
  load.fan_out = fan_out();
  load.peak_rps = peaks_at(spec_, period_ns_, now);
  load.sent_ns.swap(sent_ns_);
  load.sent_streams.swap(sent_streams_);
  load.in_system = flow_.live_requests();
  at_ns_ = now;
  return load;
}

std::vector<std::vector<double>> LoadMeter::fan_out() {
  const std::vector<std::vector<std::uint64_t>>& caused = flow_.caused();
  std::vector<std::vector<double>> means;
  for (ModuleId m = 0; m < caused.size(); ++m) {
    const std::uint64_t done = accounting_.record().modules[m].done;
    const auto served = static_cast<double>(done - std::exchange(done_[m], done));
    std::vector<double>& of_module = means.emplace_back();
    for (std::size_t s = 0; s < caused[m].size(); ++s) {
      const std::uint64_t before = std::exchange(caused_[m][s], caused[m][s]);
      of_module.push_back(served == 0 ? NAN : static_cast<double>(caused[m][s] - before) / served);
    }
  }
  return means;
}

}  // namespace harness
