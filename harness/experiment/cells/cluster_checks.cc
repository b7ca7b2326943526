#include "harness/experiment/cells/cluster_checks.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/core/param_error.h"
#include "harness/experiment/reading/experiment_spec.h"

namespace harness {
namespace {

constexpr double kMbPerGb = 1000;

std::string gb_text(double mb) { return text_of(mb / kMbPerGb) + " GB"; }

std::string count_text(int count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// Throws InputError for keys that mean nothing without servers.
void check_keys(const ExperimentSpec& spec, const ClusterParams& cluster) {
  if (cluster.gpus_per_server > 0) return;
  const auto refuse = [&](const std::string& key) {
    throw input_error(place_of(spec, "cluster." + key), key + " without gpus_per_server", "both, or neither");
  };
  if (cluster.server_cores > 0) refuse("server_cores");
  if (cluster.server_memory_gb > 0) refuse("server_memory_gb");
}

void check_gpus(const ExperimentSpec& spec, const Settings& settings, const RunSpec& run) {
  const ClusterParams& cluster = settings.cluster;
  const InputPlace at = place_of(spec, "cluster.gpus_per_server");
  if (cluster.workers % cluster.gpus_per_server != 0) {
    throw input_error(at,
                      std::to_string(cluster.gpus_per_server) + " with " +
                          count_text(cluster.workers, "GPU") + " in the cluster",
                      "a number that divides them: GPUs fill servers");
  }
  if (settings.devices.size() > 1) {
    throw input_error(settings.devices[1].place, "a second kind of device with gpus_per_server",
                      "one kind if GPUs are in servers");
  }
  for (const Profile& profile : run.profiles) {
    if (profile.service != Service::kBatch)
      throw input_error(at, "servers for " + profile.model + ", a service that is no batch",
                        "pipelines of batches alone with gpus_per_server");
  }
}

/// Throws InputError if an instance of the profile's model does not fit a server or its GPUs.
void check_instance(const ExperimentSpec& spec, const Profile& profile, const ServerShape& servers) {
  const std::string whose = "an instance of " + profile.model;
  const auto refuse = [&](const char* key, const std::string& takes, const std::string& has) {
    throw input_error(place_of(spec, std::string("cluster.") + key),
                      has + " with " + whose + ", which takes " + takes, "at least " + takes);
  };
  const int most_gpus = std::max(servers.gpus, 1);
  if (profile.gpus > most_gpus)
    refuse("gpus_per_server", count_text(profile.gpus, "GPU"), count_text(most_gpus, "GPU"));
  if (servers.gpu_memory_mb > 0 && profile.memory_mb > servers.gpu_memory_mb * profile.gpus) {
    refuse("gpu_memory_gb", gb_text(profile.memory_mb),
           gb_text(servers.gpu_memory_mb * profile.gpus) + " on " + count_text(profile.gpus, "GPU"));
  }
  if (servers.cores > 0 && profile.cores > servers.cores)
    refuse("server_cores", count_text(profile.cores, "core"), count_text(servers.cores, "core"));
  if (servers.memory_mb > 0 && profile.memory_mb > servers.memory_mb)
    refuse("server_memory_gb", gb_text(profile.memory_mb), gb_text(servers.memory_mb));
}

int cores_of(const RunSpec& run, const Plan& plan, std::size_t module) {
  const int planned = plan.modules[module].cores;
  return planned > 0 ? planned : run.profiles[module].cores;
}

/// The free capacity of a server.
struct Room {
  int gpus = 0;
  int cores = 0;
  double memory_mb = 0;
};

}  // namespace

ServerShape servers_of(const ExperimentSpec& spec, const Settings& settings, const RunSpec& run) {
  const ClusterParams& cluster = settings.cluster;
  check_keys(spec, cluster);
  if (cluster.gpus_per_server > 0) check_gpus(spec, settings, run);
  const ServerShape servers{cluster.gpus_per_server, cluster.server_cores,
                            cluster.server_memory_gb * kMbPerGb, cluster.gpu_memory_gb * kMbPerGb};
  for (std::size_t k = 0; k < run.profiles.size(); ++k) {
    const Profile& profile = run.profiles[k];
    check_instance(spec, profile, servers);
    const Module& module = run.pipeline.modules[k];
    if (servers.cores > 0 && run.module_overrides[k].cores > servers.cores)
      throw input_error(place_of(spec, "module." + module.name + ".cores"),
                        std::to_string(run.module_overrides[k].cores),
                        "at most the " + count_text(servers.cores, "core") + " of a server");
    if (settings.world.cold_start == ColdStart::kCached && !(profile.memory_mb > 0))
      throw input_error(place_of(spec, "cluster.cold_start"),
                        "cached with " + profile.model + ", whose profile has no memory_mb",
                        "profiles that say how large each model is");
  }
  return servers;
}

void check_servers_simulated(const ExperimentSpec& spec, const Settings& settings) {
  if (settings.cluster.gpus_per_server > 0)
    throw input_error(place_of(spec, "cluster.gpus_per_server"), "servers with runtime = gpu",
                      "runtime = simulated or emulated with gpus_per_server");
}

void check_cores(const SystemSpec& system, const RunSpec& run) {
  for (const Profile& profile : run.profiles) {
    if (profile.cpu_ns == 0)
      throw input_error(
          system.place,
          system.name + ", which plans cores, with the profile of " + profile.model + ", which has no cpu_ms",
          "profiles that say what of a batch the cores do (cpu_ms, cores)");
  }
}

std::unique_ptr<Planner> planner_of(const System& system, const ServingContext& context,
                                    const Settings& settings, const InputPlace& named_at) {
  try {
    return system.make_planner(context);
  } catch (const ParamError& refused) {
    InputPlace place = named_at;
    for (const Assignment& assignment : settings.system_params) {
      if (assignment.key == refused.key()) place = assignment.place;
    }
    throw refused.set_at(place);
  }
}

std::string why_not_held(const RunSpec& run, const Plan& plan) {
  if (run.servers.gpus == 0) return "";
  if (!plan.groups.empty())
    return "the system plans groups of workers, which clusters with gpus_per_server do not serve";
  std::vector<Room> rooms(static_cast<std::size_t>(run.workers / run.servers.gpus),
                          {run.servers.gpus, run.servers.cores, run.servers.memory_mb});
  std::vector<std::size_t> order(run.profiles.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return run.profiles[a].gpus > run.profiles[b].gpus; });
  for (const std::size_t module : order) {
    const Profile& profile = run.profiles[module];
    const int cores = cores_of(run, plan, module);
    Room most;
    const auto room = std::find_if(rooms.begin(), rooms.end(), [&](const Room& one) {
      most = {std::max(most.gpus, one.gpus), std::max(most.cores, one.cores),
              std::max(most.memory_mb, one.memory_mb)};
      return one.gpus >= profile.gpus && (run.servers.cores == 0 || one.cores >= cores) &&
             (run.servers.memory_mb == 0 || one.memory_mb >= profile.memory_mb);
    });
    if (room == rooms.end()) {
      std::string left = count_text(most.gpus, "GPU");
      if (run.servers.cores > 0) left += ", " + count_text(most.cores, "core");
      if (run.servers.memory_mb > 0) left += ", " + gb_text(most.memory_mb);
      return "the cluster cannot hold an instance of each module: " + run.pipeline.modules[module].name +
             " takes " + count_text(profile.gpus, "GPU") + ", " + count_text(cores, "core") + ", " +
             gb_text(profile.memory_mb) + "; after the others a server has at most " + left;
    }
    room->gpus -= profile.gpus;
    room->cores -= cores;
    room->memory_mb -= profile.memory_mb;
  }
  return "";
}

std::string servers_text(const Settings& settings) {
  const ClusterParams& cluster = settings.cluster;
  if (cluster.gpus_per_server == 0) return "";
  std::string text = count_text(cluster.workers / cluster.gpus_per_server, "server") + " of " +
                     count_text(cluster.gpus_per_server, "GPU");
  if (cluster.server_cores > 0) text += ", " + count_text(cluster.server_cores, "core");
  if (cluster.server_memory_gb > 0) text += ", " + gb_text(cluster.server_memory_gb * kMbPerGb);
  return text;
}

}  // namespace harness
