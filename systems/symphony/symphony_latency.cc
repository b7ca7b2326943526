#include "systems/symphony/symphony_latency.h"

namespace harness {
namespace {

int largest_gathered(const SymphonyLatency& latency, double slo_s, double rate_rps) {
  int batch = 1;
  while (ns_to_s(latency.of(batch + 1)) + (batch + 1) / rate_rps <= slo_s) ++batch;
  return batch;
}

}  // namespace

int target_batch(const SymphonyLatency& latency, TimeNs slo_ns, std::optional<double> rate_rps) {
  if (!rate_rps) return std::max(1, latency.largest_within(slo_ns / 2));
  const double slo_s = ns_to_s(slo_ns);
  for (int batch = 1;; ++batch) {
    const double latency_s = ns_to_s(latency.of(batch));
    const double gpus = *rate_rps * latency_s / batch;
    const bool is_too_large = batch > latency.cap() || latency_s * (1 + 1 / std::max(1.0, gpus)) > slo_s;
    if (!is_too_large) continue;
    return gpus > 1 ? std::max(1, batch - 1) : largest_gathered(latency, slo_s, *rate_rps);
  }
}

}  // namespace harness
