// What `harness profile` was asked to measure, checked, and the goodput that it adds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/experiment/cells/goodput_search.h"
#include "harness/gpu/device/device.h"
#include "harness/gpu/device/devices.h"
#include "harness/gpu/profiling/profiler.h"

namespace harness {

// The goodput of one GPU, a column of profiles (`harness profile --goodput`).

/// What the user asked for.
struct GoodputOptions {
  std::vector<double> slos_ms;  ///< rising; empty: none is looked for
  double share = 0.99;
  int requests = 20'000;
  std::string profiles;  ///< an existing set whose models get it; empty: those just measured
};

/// Throws InputError for an option that is out of its range.
void check_goodput(const GoodputOptions& options);

/// `text`, a file of profiles, with the goodput of all of its models. Prints a line for each model when
/// `verbose`. `file` is for messages. Throws InputError.
std::string text_with_goodput(const std::string& file, const std::string& text, const GoodputOptions& options,
                              std::uint64_t seed, bool verbose);

/// The same for the set `options.profiles`, written to `output`, which may be the same file: the exit code.
/// Throws InputError, EnvironmentError.
int add_goodput(const GoodputOptions& options, std::uint64_t seed, const std::string& output);

/// What the user typed.
struct ProfileOptions {
  std::string device = "cpu";
  std::vector<std::string> models;
  std::vector<std::string> pipelines;
  std::string file;
  std::vector<int> batches;
  int max_batch = 16;
  int threads = 1;
  std::string precision = "fp32";
  std::string input;  ///< "224x224"; empty: the model's own
  std::string image;  ///< empty: what the pipeline's module declares, else 224x224
  std::string exit_points = "0";
  double half_width = 0.02;
  double limit_s = 60;
  std::uint64_t seed = 1;
  std::string output;
  bool add = false;         ///< to what stands in the output
  std::string device_name;  ///< in the set; empty: what the device calls itself
  GoodputOptions goodput;
};

/// One model and how to measure it.
struct ProfileJob {
  ModelSource source;
  ProfileParams params;
  bool wants_exit_points = false;  ///< the model may have none all the same
};

/// Everything that is to be done.
struct ProfileJobs {
  DeviceSpec device;
  std::string device_name;       ///< Device::name()
  std::vector<ProfileJob> jobs;  ///< at least one, each model once
};

/// Throws InputError for whatever cannot be measured on this machine by this build, EnvironmentError when the
/// output could not be written or the device cannot be had. Loads no model.
ProfileJobs profile_jobs(const ProfileOptions& options);

/// Throws InputError for an output that is no .toml file and no device or pipe, EnvironmentError when it
/// could not be written.
void check_profile_output(const std::string& output);

/// The text of a set to which profiles of these jobs on `device` are added; "" where there is no such file.
/// Throws InputError where the set is none or has one of them.
std::string text_before(const std::string& output, const std::string& device, const ProfileJobs& jobs);

/// A device or pipe is written once, when all is done; a file may be written again and again.
bool is_profile_file(const std::string& output);

}  // namespace harness
