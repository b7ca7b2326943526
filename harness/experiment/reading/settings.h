// Everything about one cell that an experiment file can set under a dotted key, bound to the structs that
// list it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/params.h"
#include "harness/engine/faults.h"
#include "harness/engine/world_params.h"
#include "harness/live/protocol/live_params.h"
#include "harness/serving/context.h"
#include "harness/serving/sizing_planner.h"
#include "harness/serving/system.h"
#include "workloads/files/table_reader.h"
#include "workloads/spec/trace_spec.h"

namespace harness {

/// The cluster's size and speed; the rest of [cluster] is WorldParams.
struct ClusterParams {
  int workers = 64;
  std::string profiles = "shepherd-v100";
  double profile_scale = 1;
  // Servers; 0: not given.
  int gpus_per_server = 0;
  int server_cores = 0;
  double server_memory_gb = 0;
  double gpu_memory_gb = 0;

  void list(ParamList& params);  ///< without `profiles`, which is a text
};

/// [[cluster.device]]: a kind of device, its number and its price.
struct DeviceAt {
  std::string name;  ///< that profiles have
  int count = 1;
  double usd_per_h = 0;
  InputPlace place;
};

/// [[fault]]: what goes wrong.
struct FaultAt {
  Fault fault;
  InputPlace place;  ///< of its GPUs
  std::string name;  ///< what keys call it, alone or with others; "": none does
  bool on = true;    ///< whether it happens
};

/// The values of one cell. Keys: cluster.*, serving.*, planner.*, live.*, gpu.*, workload.* (what is no axis
/// there), module.NAME.*, trace.NAME.*
/// (also trace.NAME.streams.N.*, of its class N), fault.NAME.*, SYSTEM.*.
struct Settings {
  ClusterParams cluster;
  WorldParams world;
  ServingParams serving;
  PlannerParams planner;
  LiveParams live;         ///< counts in live cells
  GpuParams gpu;           ///< counts in cells on GPUs
  RequestParams requests;  ///< of [workload]; counts on task trees
  std::map<std::string, ModuleOverride> modules;
  TraceSpec trace;
  std::vector<DeviceAt> devices;  ///< empty: `cluster.workers` of one kind without a price; else their sum
  std::vector<FaultAt> faults;
  std::vector<Assignment> system_params;  ///< of any system, in order; the last one counts
  std::string
      planner_system;  ///< by whose plans the cell's system serves; "": its own or the shared planner's
};

/// A table of an experiment file with its keys, bound to fields of a Settings or of another struct.
struct Section {
  std::string name;
  std::vector<Param> params;
};

/// The section whose table has axes too.
inline constexpr const char* kWorkload = "workload";

/// A text; with `names`, one of them.
Param text_param(const char* name, std::string& field, const char* allowed, const char* doc,
                 const std::vector<std::string>& names = {});
/// cluster, serving, planner, live, gpu, and what is no axis of workload: tables with fixed names.
std::vector<Section> fixed_sections(Settings& settings);
/// The keys of [trace.NAME], texts first.
std::vector<Param> trace_params(TraceSpec& trace);
/// The keys of [module.NAME].
std::vector<Param> module_params(ModuleOverride& module);
/// The parameters of a system.
std::vector<Param> system_params(System& system);

/// The assignment with the names that its key and its value have today (core/renamed.h).
Assignment with_names_of_today(Assignment assignment);

/// Sets the key in `settings`; `fault.NAME.*` in those of its faults. `trace.NAME.*` of another trace than
/// `settings.trace` and keys of other systems are checked as far as they can be and otherwise kept or
/// ignored. Throws InputError: unknown key (with the nearest known one) or a value that is not allowed.
void assign(Settings& settings, const Assignment& assignment);

/// The system of that name with the settings' parameters applied, and with the plans of `planner_system`. The
/// names must be known.
std::unique_ptr<System> make_system(const std::string& name, const Settings& settings);
/// That of the name, whoever plans for it.
std::unique_ptr<System> make_one_system(const std::string& name, const Settings& settings);

/// The part of a dotted key before the first dot.
std::string section_of(const std::string& key);
/// The middle part of "trace.NAME.field", "trace.NAME.streams.N.field", "module.NAME.field" or
/// "fault.NAME.field", else "".
std::string member_of_section(const std::string& key);
/// The dotted keys of fixed sections and systems that end in `name`: "planner.sizing_factor".
std::vector<std::string> dotted_keys(const std::string& name);
/// Throws the error for a key that lacks its table, unless `keys`, what may be meant, is empty.
void throw_if_in_table(const InputPlace& place, const std::string& name,
                       const std::vector<std::string>& keys);

}  // namespace harness
