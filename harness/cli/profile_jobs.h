// The work that `harness profile` was asked to do, checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/cli/goodput_options.h"
#include "harness/gpu/device/device_spec.h"
#include "harness/gpu/device/model_source.h"
#include "harness/gpu/profiling/profile_model.h"

namespace harness {

/// The options that the user typed.
struct ProfileOptions {
  std::string device = "cpu";
  std::vector<std::string> models;
  std::vector<std::string> pipelines;
  std::string file;
  std::vector<int> batches;
  int max_batch = 16;
  int threads = 1;
  std::string precision = "fp32";
  std::string input;  ///< size such as "224x224"; empty: the model's own
  std::string image;  ///< size; empty: the size that the pipeline's module declares, else 224x224
  std::string exit_points = "0";
  double half_width = 0.02;
  double limit_s = 60;
  std::uint64_t seed = 1;
  std::string output;
  bool add = false;         ///< true: adds the profiles to the set in the output
  std::string device_name;  ///< name in the set; empty: the device's own name
  GoodputOptions goodput;
  std::string server;  ///< URL of a running server; empty: a device of this machine
  int free_size = 1;   ///< server: size of dimensions that the model leaves open
};

/// One model and the way to measure it.
struct ProfileJob {
  ModelSource source;
  ProfileParams params;
  bool wants_exit_points = false;  ///< true if exit points were asked for; the model may have none all the
                                   ///< same
};

/// All models to measure on a device.
struct ProfileJobs {
  DeviceSpec device;
  std::string device_name;       ///< Device::name()
  std::vector<ProfileJob> jobs;  ///< jobs, at least one; each model comes once
};

/// Returns the jobs of the options. Throws InputError for everything that cannot be measured on this machine
/// by this build, EnvironmentError if the output could not be written or the device cannot be had. Loads no
/// model.
ProfileJobs profile_jobs(const ProfileOptions& options);

/// Returns the batch sizes to measure and the rule of repeating. Throw InputError for other options.
std::vector<int> batches_of(const ProfileOptions& options);
RepeatRule rule_of(const ProfileOptions& options);

/// Throws InputError for an output that is no .toml file, device or pipe, EnvironmentError if it could not be
/// written.
void check_profile_output(const std::string& output);

/// Returns the text of the set in `output`, to which profiles of `models` on `device` are added; "" if there
/// is no such file. Throws InputError if the file is not a set of profiles or has one of them.
std::string text_before(const std::string& output, const std::string& device,
                        const std::vector<std::string>& models);

/// True if the output is a file, which may be written again and again. A device or pipe is written once, when
/// all is done.
bool is_profile_file(const std::string& output);

}  // namespace harness
