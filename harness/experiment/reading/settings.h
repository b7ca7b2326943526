// All settings of one cell that an experiment file can set under a dotted key, bound to the structs that list
// them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/core/param_list.h"
#include "harness/engine/fault.h"
#include "harness/engine/request_params.h"
#include "harness/engine/world_params.h"
#include "harness/experiment/reading/cluster_params.h"
#include "harness/files/table_reader.h"
#include "harness/live/protocol/gpu_params.h"
#include "harness/live/protocol/live_params.h"
#include "harness/live/protocol/server_params.h"
#include "harness/serving/planner_params.h"
#include "harness/serving/serving_params.h"
#include "harness/serving/system.h"
#include "workloads/spec/trace_spec.h"

namespace harness {

struct DeviceAt;
struct FaultAt;

/// The values of one cell. The keys are cluster.*, serving.*, planner.*, live.*, gpu.*, server.*, workload.*
/// (except the axes), module.NAME.*, trace.NAME.* (also trace.NAME.streams.N.*, of its class N),
/// fault.NAME.*, and SYSTEM.*.
struct Settings {
  ClusterParams cluster;
  WorldParams world;
  ServingParams serving;
  PlannerParams planner;
  LiveParams live;         ///< used by live cells only
  GpuParams gpu;           ///< used by cells on GPUs only
  ServerParams server;     ///< used by cells against a server only
  RequestParams requests;  ///< settings of [workload]; all but measure_from_s concern task trees only
  std::map<std::string, ModuleOverride> modules;
  TraceSpec trace;
  std::vector<DeviceAt> devices;  ///< kinds of devices, whose counts add up to `cluster.workers`; empty: one
                                  ///< kind without a price
  std::vector<FaultAt> faults;
  std::vector<Assignment> system_params;  ///< parameters of any system, in order; a key's last one counts
  std::string planner_system;  ///< system that plans for the cell's system; "": itself or the shared planner
};

/// [[cluster.device]]: a kind of device, its number and its price.
struct DeviceAt {
  std::string name;  ///< name of the device in the profiles
  int count = 1;
  double usd_per_h = 0;
  InputPlace place;

  void list(ParamList& params);
};

/// [[fault]]: something that goes wrong.
struct FaultAt {
  Fault fault;
  InputPlace place;  ///< place of the key that names its GPUs
  std::string name;  ///< name by which keys call it, alone or with others; "": no key does
  bool on = true;    ///< false: it does not happen

  void list(ParamList& params);
};

/// A table of an experiment file with its keys, bound to fields of a Settings or of another struct.
struct Section {
  std::string name;
  std::vector<Param> params;
};

/// The name of the section whose table has axes too.
inline constexpr const char* kWorkload = "workload";

/// Returns the tables with fixed names: cluster, serving, planner, live, gpu, server, and workload without
/// its axes.
std::vector<Section> fixed_sections(Settings& settings);
/// Returns the keys of [trace.NAME], texts first.
std::vector<Param> trace_params(TraceSpec& trace);
/// Returns the keys of [module.NAME].
std::vector<Param> module_params(ModuleOverride& module);
/// Returns the parameters of a system.
std::vector<Param> system_params(System& system);

/// Sets the key in `settings`; `fault.NAME.*` sets it in all its faults of that name. Checks keys of another
/// trace than `settings.trace` as far as possible and ignores them; checks keys of every system and keeps
/// them in `system_params`. Throws InputError for an unknown key (with the nearest known one) or a value that
/// is not allowed.
void assign(Settings& settings, const Assignment& assignment);

/// Returns the system of that name with the settings' parameters applied, and with the plans of
/// `planner_system`. The names must be known.
std::unique_ptr<System> make_system(const std::string& name, const Settings& settings);
/// Returns the system of that name with its parameters, without the plans of `planner_system`.
std::unique_ptr<System> make_one_system(const std::string& name, const Settings& settings);

/// Returns the part of a dotted key before the first dot.
std::string section_of(const std::string& key);
/// Returns the NAME of "trace.NAME.field", "trace.NAME.streams.N.field", "module.NAME.field" or
/// "fault.NAME.field", else "".
std::string member_of_section(const std::string& key);
/// Returns the dotted keys of fixed sections and systems that end in `name`, such as "planner.sizing_factor".
std::vector<std::string> dotted_keys(const std::string& name);
/// Throws InputError for a key that lacks its table, with `keys` as what may be meant; does nothing if `keys`
/// is empty.
void throw_if_in_table(const InputPlace& place, const std::string& name,
                       const std::vector<std::string>& keys);

}  // namespace harness
