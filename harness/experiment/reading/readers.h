// Readers of an experiment file's tables [[system]], [[cluster.device]], [[fault]] and
// [[trace.NAME.streams]], and of keys that name one of them.
#pragma once

#include <string>
#include <vector>

#include "harness/experiment/reading/experiment_spec.h"
#include "workloads/files/table_reader.h"
#include "workloads/spec/stream_class.h"
#include "workloads/spec/trace_spec.h"

namespace harness {

/// Returns the names of all tables and keys that the top level of an experiment file may have.
std::vector<std::string> top_level_names();

// Reads the [[system]] tables of an experiment file.

/// The key of the shared library that a system comes with.
inline constexpr const char* kLibraryKey = "library";
/// The key of the system by whose plans a system serves.
inline constexpr const char* kPlannerKey = "planner";
inline constexpr const char* kPlannerParamsKey = "planner_params";

/// Fills `spec.systems`; `spec.workload` must have been read. Throws InputError.
void read_systems(const TableReader& document, ExperimentSpec& spec);

// [[trace.NAME.streams]]: the classes of a trace of shape streams.

/// The key of a trace's table that holds its classes.
inline constexpr const char* kStreamsKey = "streams";

/// Returns the keys of a class except slo_ms, which is a list.
std::vector<Param> stream_params(StreamClass& streams);

/// Returns the classes in a trace's table; empty if it has no such key. Throws InputError.
std::vector<StreamClass> read_streams(const TableReader& trace);

/// Sets a key of one of the trace's classes; `field` is "streams.N.KEY", and slo_ms takes one number. Whether
/// the key has a meaning beside the others is left to check_trace(). Throws InputError at the assignment's
/// place.
void assign_to_streams(TraceSpec& trace, const std::string& field, const Assignment& assignment);

/// Returns the classes as tables of the trace of that name, with the keys that have a meaning; they read back
/// as the same.
std::string stream_tables(const std::string& trace, const std::vector<StreamClass>& classes);

/// Fills `spec.settings` and puts their axis before `spec.sweeps`; all else must have been read. Throws
/// InputError.
void read_named_settings(const TableReader& document, ExperimentSpec& spec);
/// Throws InputError unless a [[setting]] may set the key, and the key may have the value.
void check_assignment(const ExperimentSpec& spec, const Assignment& assignment);
/// Throws InputError if --set gives a value to the key `key` that a [[setting]] sets: it would change
/// nothing.
void check_override_of_settings(const ExperimentSpec& spec, const std::string& key);

/// The key of [cluster] that holds the kinds of devices.
inline constexpr const char* kDeviceKey = "device";

/// Returns the kinds of devices in [cluster]; empty if it has no such key. Throws InputError.
std::vector<DeviceAt> read_devices(const TableReader& cluster);

/// Returns the kinds as [[cluster.device]] tables, which read back as the same.
std::string device_tables(const std::vector<DeviceAt>& devices);

/// Reads the [[fault]] tables and checks all that does not depend on the cluster. Throws InputError.
std::vector<FaultAt> read_faults(const TableReader& document);

/// Sets `field` of all faults of that name, as "fault.NAME.FIELD" asks for. Throws InputError if there is no
/// such fault, if a key cannot set the field, or if one of the faults may not have the value.
void assign_to_faults(std::vector<FaultAt>& faults, const std::string& name, const std::string& field,
                      const Assignment& assignment);

/// Throws InputError unless every GPU that a fault names is one of the cluster's `workers`. Faults that do
/// not happen may name any.
void check_faults(const std::vector<FaultAt>& faults, int workers);

/// Returns the faults without the ones that do not happen.
std::vector<Fault> faults_that_happen(const std::vector<FaultAt>& faults);

/// Returns the faults as [[fault]] tables, which read back as the same.
std::string fault_tables(const std::vector<Fault>& faults);

/// Returns a line for each key of a shared table that some cell sets to another value than its default, but
/// that has an effect only beside a value of another key that no cell has.
std::vector<std::string> unused_settings(const ExperimentSpec& spec);

}  // namespace harness
