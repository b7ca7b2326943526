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
/// no kinds, or only one without a price, each device costs 1, so the cost of a configuration is its number
/// of devices.
class Hardware {
 public:
  /// `context` must outlive this. Throws InputError if a module has shared servers or remote calls instead of
  /// batches, or if there are several kinds and one has no price.
  explicit Hardware(const ServingContext& context);

  std::size_t kinds() const { return kinds_.size(); }
  const std::string& name(std::size_t kind) const { return kinds_[kind].name; }
  int count(std::size_t kind) const { return kinds_[kind].count; }
  double price(std::size_t kind) const { return kinds_[kind].price; }  ///< $/h of one device
  /// Returns how many devices a replica takes (Profile::gpus). The model must run on that kind.
  int devices_per_replica(ModuleId module, std::size_t kind) const {
    return find_profile(module, kind)->gpus;
  }
  /// Returns the price of one replica of the model in $/h.
  double replica_price(ModuleId module, std::size_t kind) const {
    return price(kind) * devices_per_replica(module, kind);
  }
  /// Returns the model's profile on that kind; null if it does not run there.
  const Profile* find_profile(ModuleId module, std::size_t kind) const {
    return kinds_[kind].profiles[module];
  }
  /// Returns the model's profile on the chosen kind, on which it must run.
  const Profile& profile(ModuleId module, const ModelConfiguration& chosen) const {
    return *find_profile(module, chosen.device);
  }
  TimeNs exec_ns(ModuleId module, const ModelConfiguration& chosen) const {
    return profile(module, chosen).latency(chosen.max_batch);
  }
  /// Returns the queries/s of one replica with full batches (the paper's mu_m).
  double replica_rps(ModuleId module, const ModelConfiguration& chosen) const {
    return worker_rps(profile(module, chosen), chosen.max_batch);
  }
  /// Returns the kind with the shortest latency of a batch of one; among equal ones the cheaper, then the
  /// first.
  std::uint16_t fastest(ModuleId module) const { return fastest_kind(context_, module); }
  /// Returns the dearest of the kinds that are cheaper than `kind` and run the model; `kind` itself if no
  /// kind does both.
  std::uint16_t next_cheaper(ModuleId module, std::uint16_t kind) const;
  /// Returns the price of all replicas in $/h.
  double cost(const Configuration& configuration) const;
  /// Returns how many replicas of the model the kind could hold besides the other models' replicas.
  int free_for(ModuleId module, std::uint16_t kind, const Configuration& configuration) const;
  /// True if the cluster has enough devices of each kind.
  bool has_room_for(const Configuration& configuration) const;
  /// Throws InputError if the cluster has too few devices; the message names the kind.
  void check_room_for(const Configuration& configuration) const;
  /// Returns `wanted`, with fewer replicas if the cluster has too few devices of a kind. Each model then has
  /// one replica, and each further one goes to the model whose replicas / wanted replicas is least, of those
  /// whose replica still fits. Devices on which no replica fits stay unused. Throws InputError if there is no
  /// room for one replica of each model.
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
