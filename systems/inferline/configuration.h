// What InferLine chooses for each model of a pipeline (section 4.3), and the hardware that it chooses from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/profile.h"
#include "harness/serving/common_plans.h"

namespace harness {

/// The three control parameters of one model.
struct ModelConfiguration {
  std::uint16_t device = 0;  ///< index of a kind of device
  int max_batch = 1;
  int replicas = 1;

  bool operator==(const ModelConfiguration&) const = default;
  bool operator<(const ModelConfiguration& other) const {
    return std::tie(device, max_batch, replicas) < std::tie(other.device, other.max_batch, other.replicas);
  }
};

/// The least whole number that is not below `value`, but for rounding errors, and at least 1: of replicas.
int ceil_of(double value);

/// By module.
using Configuration = std::vector<ModelConfiguration>;

/// The kinds of devices of a cluster with their prices, and what the models do on them. A cluster of one kind
/// without a price has price 1: a configuration costs its replicas.
class Hardware {
 public:
  /// `context` outlives this; no kind has shared servers or remote calls (throws InputError).
  explicit Hardware(const ServingContext& context);

  std::size_t kinds() const { return kinds_.size(); }
  const std::string& name(std::size_t device) const { return kinds_[device].name; }
  int count(std::size_t device) const { return kinds_[device].count; }
  double price(std::size_t device) const { return kinds_[device].price; }  ///< $/h of one device
  /// Devices that a replica takes (Profile::gpus).
  int devices_of(ModuleId module, std::size_t device) const { return profile(module, device)->gpus; }
  /// $/h of one replica of the model.
  double replica_price(ModuleId module, std::size_t device) const {
    return price(device) * devices_of(module, device);
  }
  /// Null: the model does not run there.
  const Profile* profile(ModuleId module, std::size_t device) const {
    return kinds_[device].profiles[module];
  }
  const Profile& profile(ModuleId module, const ModelConfiguration& of) const {
    return *profile(module, of.device);
  }
  TimeNs exec_ns(ModuleId module, const ModelConfiguration& of) const {
    return profile(module, of).latency(of.max_batch);
  }
  /// Queries/s of one replica with full batches (the paper's mu_m).
  double replica_rps(ModuleId module, const ModelConfiguration& of) const {
    return worker_rps(profile(module, of), of.max_batch);
  }
  /// The kind with the shortest latency of one query; of equal ones the cheaper, then the first.
  std::uint16_t fastest(ModuleId module) const { return fastest_kind(context_, module); }
  /// The dearest kind among those that cost less than `device` and run the model; `device` where none does.
  std::uint16_t next_cheaper(ModuleId module, std::uint16_t device) const;
  /// $/h.
  double cost(const Configuration& configuration) const;
  /// Replicas of the model for which the others leave devices of the kind.
  int free_for(ModuleId module, std::uint16_t device, const Configuration& configuration) const;
  /// Whether there are as many devices of each kind.
  bool has_room_for(const Configuration& configuration) const;
  /// Throws InputError, which says what is lacking of which kind.
  void check_room_for(const Configuration& configuration) const;
  /// With fewer replicas where the cluster has too few of a kind: each model has one, and the others go one
  /// by one to the model that has the least share of those it wants. Throws InputError where not even one
  /// each is there.
  Configuration shrunk(const Configuration& wanted) const;
  /// The largest sum of latencies of full batches over the paths of the pipeline (the paper's service time).
  TimeNs service_ns(const Configuration& configuration) const;

 private:
  struct Kind {
    std::string name;
    int count = 0;
    double price = 1;
    std::vector<const Profile*> profiles;
  };

  /// By kind.
  std::vector<long> needed(const Configuration& configuration) const;

  const ServingContext& context_;
  std::vector<Kind> kinds_;
};

}  // namespace harness
