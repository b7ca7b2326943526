// The kinds of devices that InferLine chooses from (section 4.3).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/profile.h"
#include "harness/core/types.h"
#include "harness/serving/common_plans.h"
#include "harness/serving/serving_context.h"
#include "systems/inferline/model_configuration.h"

namespace harness {

/// The kinds of devices of a cluster with their prices, and the profiles of the models on them. If there are
/// no kinds, or only one without a price, a device has price 1, so that a configuration costs its devices.
class Hardware {
 public:
  /// `context` must outlive this. Throws InputError if a module has shared servers or remote calls instead of
  /// batches, or if one of several kinds has no price.
  explicit Hardware(const ServingContext& context);

  std::size_t kinds() const { return kinds_.size(); }
  const std::string& name(std::size_t device) const { return kinds_[device].name; }
  int count(std::size_t device) const { return kinds_[device].count; }
  double price(std::size_t device) const { return kinds_[device].price; }  ///< $/h of one device
  /// Returns how many devices a replica takes (Profile::gpus).
  int devices_of(ModuleId module, std::size_t device) const { return profile(module, device)->gpus; }
  /// Returns the price of one replica of the model in $/h.
  double replica_price(ModuleId module, std::size_t device) const {
    return price(device) * devices_of(module, device);
  }
  /// Returns the model's profile on that kind; null if it does not run there.
  const Profile* profile(ModuleId module, std::size_t device) const {
    return kinds_[device].profiles[module];
  }
  const Profile& profile(ModuleId module, const ModelConfiguration& of) const {
    return *profile(module, of.device);
  }
  TimeNs exec_ns(ModuleId module, const ModelConfiguration& of) const {
    return profile(module, of).latency(of.max_batch);
  }
  /// Returns the queries/s of one replica with full batches (the paper's mu_m).
  double replica_rps(ModuleId module, const ModelConfiguration& of) const {
    return worker_rps(profile(module, of), of.max_batch);
  }
  /// Returns the kind with the shortest latency of one query; among equal ones the cheaper, then the first.
  std::uint16_t fastest(ModuleId module) const { return fastest_kind(context_, module); }
  /// Returns the dearest kind among the kinds that cost less than `device` and run the model; `device` itself
  /// if there is no such kind.
  std::uint16_t next_cheaper(ModuleId module, std::uint16_t device) const;
  /// Returns the price of all replicas in $/h.
  double cost(const Configuration& configuration) const;
  /// Returns how many replicas of the model fit on the devices of that kind that the other models leave free.
  int free_for(ModuleId module, std::uint16_t device, const Configuration& configuration) const;
  /// True if the cluster has enough devices of each kind.
  bool has_room_for(const Configuration& configuration) const;
  /// Throws InputError if the cluster has too few devices; the message names the kind.
  void check_room_for(const Configuration& configuration) const;
  /// Returns `wanted` with fewer replicas if the cluster has too few devices of a kind: each model has one
  /// replica, and the other devices go one replica at a time to the model that has the least share of the
  /// replicas it wants. Throws InputError if there is no room for one replica of each model.
  Configuration shrunk(const Configuration& wanted) const;
  /// Returns the largest sum of the latencies of full batches over the paths of the pipeline (the paper's
  /// service time).
  TimeNs service_ns(const Configuration& configuration) const;

 private:
  struct Kind {
    std::string name;
    int count = 0;
    double price = 1;
    std::vector<const Profile*> profiles;
  };

  /// Returns how many devices the configuration needs, by kind.
  std::vector<long> needed(const Configuration& configuration) const;

  const ServingContext& context_;
  std::vector<Kind> kinds_;
};

}  // namespace harness
