#include "systems/inferline/hardware.h"

#include <optional>

#include "harness/core/input_error.h"

namespace harness {

Hardware::Hardware(const ServingContext& context) : context_(context) {
  if (!has_only_batches(context)) throw InputError("inferline plans models that run in batches, no services");
  if (context.devices.empty()) kinds_.push_back({"GPU", context.workers, 1, context.profiles});
  for (const ClusterDevice& device : context.devices) {
    Kind& kind = kinds_.emplace_back(Kind{device.name, device.count, device.usd_per_h, {}});
    for (const std::optional<Profile>& profile : device.profiles)
      kind.profiles.push_back(profile ? &*profile : nullptr);
    if (kind.price > 0) continue;
    if (context.devices.size() > 1)
      throw InputError("inferline plans by cost: found no price of " + device.name +
                       " (cluster.device.usd_per_h), allowed: one above 0 where there are several kinds");
    kind.price = 1;
  }
}

std::uint16_t Hardware::next_cheaper(ModuleId module, std::uint16_t kind) const {
  std::uint16_t next = kind;
  for (std::size_t other = 0; other < kinds_.size(); ++other) {
    if (find_profile(module, other) == nullptr || price(other) >= price(kind)) continue;
    if (next == kind || price(other) > price(next)) next = static_cast<std::uint16_t>(other);
  }
  return next;
}

double Hardware::cost(const Configuration& configuration) const {
  double total = 0;
  for (ModuleId m = 0; m < configuration.size(); ++m)
    total += configuration[m].replicas * replica_price(m, configuration[m].device);
  return total;
}

int Hardware::free_for(ModuleId module, std::uint16_t kind, const Configuration& configuration) const {
  int left = count(kind);
  for (ModuleId m = 0; m < configuration.size(); ++m) {
    if (m != module && configuration[m].device == kind)
      left -= configuration[m].replicas * devices_per_replica(m, kind);
  }
  return left / devices_per_replica(module, kind);
}

std::vector<long> Hardware::needed(const Configuration& configuration) const {
  std::vector<long> devices(kinds_.size(), 0);
  for (ModuleId m = 0; m < configuration.size(); ++m) {
    const ModelConfiguration& model = configuration[m];
    devices[model.device] += static_cast<long>(model.replicas) * devices_per_replica(m, model.device);
  }
  return devices;
}

bool Hardware::has_room_for(const Configuration& configuration) const {
  const std::vector<long> devices = needed(configuration);
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    if (devices[kind] > count(kind)) return false;
  }
  return true;
}

void Hardware::check_room_for(const Configuration& configuration) const {
  const std::vector<long> devices = needed(configuration);
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    if (devices[kind] > count(kind))
      throw InputError("the plan needs " + std::to_string(devices[kind]) + " of the devices '" + name(kind) +
                       "', the cluster has " + std::to_string(count(kind)));
  }
}

Configuration Hardware::shrunk(const Configuration& wanted) const {
  if (has_room_for(wanted)) return wanted;
  Configuration least = wanted;
  for (ModelConfiguration& model : least) model.replicas = 1;
  check_room_for(least);
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    for (long left = count(kind) - needed(least)[kind]; left > 0;) {
      std::size_t poorest = least.size();
      const auto has_less = [&](std::size_t m) {
        return poorest == least.size() || static_cast<long>(least[m].replicas) * wanted[poorest].replicas <
                                              static_cast<long>(least[poorest].replicas) * wanted[m].replicas;
      };
      for (ModuleId m = 0; m < least.size(); ++m) {
        if (wanted[m].device != kind || least[m].replicas >= wanted[m].replicas) continue;
        if (devices_per_replica(m, kind) <= left && has_less(m)) poorest = m;
      }
      if (poorest == least.size()) break;
      ++least[poorest].replicas;
      left -= devices_per_replica(static_cast<ModuleId>(poorest), kind);
    }
  }
  return least;
}

TimeNs Hardware::service_ns(const Configuration& configuration) const {
  std::vector<double> exec_ns;
  for (ModuleId m = 0; m < configuration.size(); ++m)
    exec_ns.push_back(static_cast<double>(this->exec_ns(m, configuration[m])));
  const std::vector<double> after = longest_after(*context_.pipeline, exec_ns);
  return static_cast<TimeNs>(after.front() + exec_ns.front());
}

}  // namespace harness
