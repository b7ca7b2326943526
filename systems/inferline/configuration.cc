#include "systems/inferline/configuration.h"

#include <algorithm>
#include <cmath>

#include "harness/core/error.h"

namespace harness {

int ceil_of(double value) {
  constexpr double kRounding = 1e-9;
  constexpr double kMax = 1e9;
  return value > 1 ? static_cast<int>(std::ceil(std::min(value - kRounding, kMax))) : 1;
}

Hardware::Hardware(const ServingContext& context) : pipeline_(*context.pipeline) {
  if (context.devices.empty()) {
    kinds_.push_back({"GPU", context.workers, 1, context.profiles});
  }
  for (const ClusterDevice& device : context.devices) {
    Kind& kind = kinds_.emplace_back(Kind{device.name, device.count, device.usd_per_h, {}});
    for (const std::optional<Profile>& profile : device.profiles)
      kind.profiles.push_back(profile ? &*profile : nullptr);
  }
  const bool has_prices =
      std::any_of(kinds_.begin(), kinds_.end(), [](const Kind& k) { return k.price > 0; });
  for (Kind& kind : kinds_) {
    if (!has_prices) kind.price = 1;
    for (const Profile* profile : kind.profiles) {
      if (profile != nullptr && profile->service != Service::kBatch)
        throw InputError("inferline plans models that run in batches, " + profile->model + " is a service");
    }
  }
}

std::uint16_t Hardware::fastest(ModuleId module) const {
  std::size_t best = kinds_.size();
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    const Profile* const here = profile(module, kind);
    if (here == nullptr) continue;
    if (best < kinds_.size()) {
      const TimeNs least_ns = profile(module, best)->latency(1);
      if (here->latency(1) > least_ns) continue;
      if (here->latency(1) == least_ns && price(kind) >= price(best)) continue;
    }
    best = kind;
  }
  HARNESS_CHECK(best < kinds_.size(), "a model runs on no kind of device");
  return static_cast<std::uint16_t>(best);
}

std::uint16_t Hardware::next_cheaper(ModuleId module, std::uint16_t device) const {
  std::uint16_t next = device;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    if (profile(module, kind) == nullptr || price(kind) >= price(device)) continue;
    if (next == device || price(kind) > price(next)) next = static_cast<std::uint16_t>(kind);
  }
  return next;
}

double Hardware::cost(const Configuration& configuration) const {
  double total = 0;
  for (const ModelConfiguration& model : configuration) total += model.replicas * price(model.device);
  return total;
}

int Hardware::free_for(ModuleId module, std::uint16_t device, const Configuration& configuration) const {
  int left = count(device);
  for (std::size_t m = 0; m < configuration.size(); ++m) {
    if (m != module && configuration[m].device == device) left -= configuration[m].replicas;
  }
  return left;
}

bool Hardware::has_room_for(const Configuration& configuration) const {
  for (ModuleId m = 0; m < configuration.size(); ++m) {
    if (free_for(m, configuration[m].device, configuration) < configuration[m].replicas) return false;
  }
  return true;
}

TimeNs Hardware::service_ns(const Configuration& configuration) const {
  std::vector<double> exec_ns;
  for (ModuleId m = 0; m < configuration.size(); ++m)
    exec_ns.push_back(static_cast<double>(this->exec_ns(m, configuration[m])));
  const std::vector<double> after = longest_after(pipeline_, exec_ns);
  return static_cast<TimeNs>(after.front() + exec_ns.front());
}

void Hardware::check_room_for(const Configuration& configuration) const {
  std::vector<long> needed(kinds_.size(), 0);
  for (const ModelConfiguration& model : configuration) needed[model.device] += model.replicas;
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    if (needed[kind] > count(kind))
      throw InputError("the plan needs " + std::to_string(needed[kind]) + " of the devices '" + name(kind) +
                       "', the cluster has " + std::to_string(count(kind)));
  }
}

}  // namespace harness
