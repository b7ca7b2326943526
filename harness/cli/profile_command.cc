#include "harness/cli/commands.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/exit_point_average.h"
#include "harness/cli/goodput_options.h"
#include "harness/cli/printing.h"
#include "harness/cli/profile_jobs.h"
#include "harness/cli/profile_report.h"
#include "harness/cli/profile_server.h"
#include "harness/cli/python_script.h"
#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"
#include "harness/core/wording.h"
#include "harness/files/file_bytes.h"
#include "harness/gpu/device/device_info.h"
#include "harness/gpu/device/device_spec.h"
#include "harness/gpu/device/device_traits.h"
#include "harness/gpu/device/device_watch.h"
#include "harness/gpu/device/devices.h"
#include "harness/gpu/profiling/device_wait.h"
#include "harness/machine/cpu_facts.h"
#include "harness/machine/gpu_clock_watch.h"
#include "harness/ranks/mpi_launch.h"

namespace harness {
namespace {

/// True if the request is to blame for the fault: trying again on another machine gives the same. The zoo's
/// models compute on images of their own size; a user's model, or a model at another size, need not.
bool is_bad_input(DeviceFault fault, const ModelSource& source) {
  const bool may_not_fit = !source.file.empty() || source.input_height > 0;
  return fault == DeviceFault::kMissingModel || fault == DeviceFault::kNotAModel ||
         fault == DeviceFault::kWrongShape || (fault == DeviceFault::kComputeFailed && may_not_fit);
}

/// Measures on a device of its own, so that each model finds all of the memory and no other model's failure.
ModelProfile measure(const DeviceSpec& spec, const ProfileJob& job) {
  SteadyWait wait;
  std::unique_ptr<Device> made = make_device(spec, wait.wake());
  std::optional<DeviceWatch> watch;
  if (auto activity = made->activity()) watch.emplace(std::vector{std::move(activity)}, DeviceWatch::Rules{});
  const std::unique_ptr<Device> device = std::move(made);  // its end waits for what it computes
  return profile_model(*device, wait, job.source, job.params);
}

/// Watches the clocks of a GPU. Returns null for other devices, and for a GPU that cannot be had, which
/// measure() reports.
std::unique_ptr<GpuClockWatch> watch_clocks(const DeviceSpec& spec) {
  if (!traits_of(spec.kind).needs_gpu) return nullptr;
  const std::string name = name_of(spec.kind) + (":" + std::to_string(spec.index));
  try {
    for (const DeviceInfo& info : list_devices()) {
      if (info.name == name && !info.bus_id.empty()) return std::make_unique<GpuClockWatch>(info.bus_id);
    }
  } catch (const EnvironmentError&) {
    return nullptr;
  }
  return nullptr;
}

class ProfileRun {
 public:
  explicit ProfileRun(const ProfileOptions& options)
      : jobs_(profile_jobs(options)),
        output_(options.output),
        is_file_(is_profile_file(output_)),
        set_(measured_set(jobs_)),
        goodput_(options.goodput),
        seed_(options.seed) {
    if (!options.device_name.empty()) set_.device = options.device_name;
    std::vector<std::string> models;
    for (const ProfileJob& job : jobs_.jobs) models.push_back(job.source.model);
    if (options.add) before_ = text_before(output_, set_.device, models);
  }

  /// Measures all models; returns the exit code.
  int run() {
    for (const ProfileJob& job : jobs_.jobs) add(job);
    if (set_.profiles.empty()) fail_altogether();
    const bool adds_goodput = !goodput_.slos_ms.empty();
    if (adds_goodput)
      write_file(output_, text_with_goodput(output_, text_of(set_), goodput_, seed_, is_file_));
    if (!is_file_ && !adds_goodput) write();
    if (is_file_) print_text(exit_points_.text() + written_text(output_, set_.profiles.size()));
    return failures_ > 0 ? 1 : 0;
  }

 private:
  void add(const ProfileJob& job) {
    const CpuClocks before = read_cpu_clocks();
    const std::unique_ptr<GpuClockWatch> gpu = watch_clocks(jobs_.device);
    ModelProfile profile;
    try {
      profile = measure(jobs_.device, job);
    } catch (const DeviceError& error) {
      return note_failure(job, error.what(), is_bad_input(error.fault(), job.source));
    } catch (const BatchFailed& error) {
      return note_failure(job, error.what(), is_bad_input(error.fault(), job.source));
    } catch (const EnvironmentError& error) {
      return note_failure(job, error.what(), false);
    }
    const CpuClocks after = read_cpu_clocks();
    exit_points_.add(profile);
    std::vector<std::string> notes = gpu ? gpu->notes() : std::vector<std::string>();
    for (std::string& note : clock_notes(before, after)) notes.push_back(std::move(note));
    set_.profiles.push_back(measured_profile(profile, job, notes));
    const std::string warnings = warnings_text(profile, job, share_of_others(before, after));
    if (!is_file_) return;
    try {
      write();
    } catch (const EnvironmentError&) {
      print_text(report_text(profile));
      throw;
    }
    print_text(report_text(profile) + warnings + "\n");
  }

  void write() const {
    write_file(output_, before_.empty() ? text_of(set_) : added_text(output_, before_, set_));
  }

  void note_failure(const ProfileJob& job, const std::string& message, bool is_input) {
    ++failures_;
    all_input_ = all_input_ && is_input;
    message_ = message;
    if (jobs_.jobs.size() > 1)
      std::fprintf(stderr, "harness: %s is left out: %s\n", job.source.model.c_str(), message.c_str());
  }

  [[noreturn]] void fail_altogether() const {
    const std::string message = jobs_.jobs.size() > 1
                                    ? "none of the " + std::to_string(failures_) + " models could be measured"
                                    : message_;
    if (all_input_) throw InputError(message);
    throw EnvironmentError(message);
  }

  ProfileJobs jobs_;
  std::string output_;
  bool is_file_;
  MeasuredSet set_;
  std::string before_;  ///< text of the set to which the measured profiles are added; "": no set
  GoodputOptions goodput_;
  std::uint64_t seed_;
  ExitPointAverage exit_points_;
  int failures_ = 0;
  bool all_input_ = true;  ///< true if the request is to blame for all failures
  std::string message_;    ///< message of the last failure
};

void add_goodput_options(CLI::App& command, GoodputOptions& options) {
  CLI::Option* slos =
      command
          .add_option(
              "--goodput", options.slos_ms,
              "SLOs in ms for which the goodput of one GPU is found, in virtual time, from the latencies")
          ->type_name("MS,...")
          ->delimiter(',')
          ->allow_extra_args(false);
  command.add_option("--goodput-share", options.share, "share of the requests that must end in time")
      ->needs(slos)
      ->capture_default_str();
  command
      .add_option("--goodput-requests", options.requests, "requests that each rate is tried with, or more")
      ->needs(slos)
      ->capture_default_str();
  command
      .add_option("--profiles", options.profiles,
                  "nothing is measured: the models of this set get goodput from their latencies")
      ->type_name("SET")
      ->excludes("--model")
      ->excludes("--pipeline")
      ->excludes("--file");
}

/// Called when all other options are there.
void add_server_options(CLI::App& command, ProfileOptions& options) {
  CLI::Option* server =
      command
          .add_option("--server", options.server,
                      "a running server of KServe's protocol, such as Triton: --model names its models")
          ->type_name("URL");
  for (const char* of_devices : {"--device", "--pipeline", "--file", "--precision", "--threads",
                                 "--image-size", "--input", "--exit-points", "--goodput", "--profiles"})
    server->excludes(of_devices);
  command.add_option("--free-size", options.free_size, "size of input dimensions that its model leaves open")
      ->needs(server)
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
}

void add_options(CLI::App& command, ProfileOptions& options) {
  command.add_option("--device", options.device, text_of_device_forms() + " (harness list devices)")
      ->capture_default_str();
  command.add_option("--model", options.models, "a model of the zoo; repeatable, or several with commas")
      ->type_name("NAME")
      ->delimiter(',')
      ->allow_extra_args(false);
  CLI::Option* pipeline =
      command
          .add_option("--pipeline", options.pipelines,
                      "all models of a pipeline, with its images; repeatable, or several with commas")
          ->type_name("NAME")
          ->delimiter(',')
          ->allow_extra_args(false);
  command.add_option("--file", options.file, "a TorchScript file; --model then names it")
      ->type_name("MODEL.pt")
      ->excludes(pipeline);
  CLI::Option* batches = command.add_option("--batches", options.batches, "batch sizes, rising from 1")
                             ->delimiter(',')
                             ->allow_extra_args(false);
  command
      .add_option("--max-batch", options.max_batch, "powers of two and the steps between, up to this size")
      ->excludes(batches)
      ->capture_default_str();
  command.add_option("--precision", options.precision, "in which models compute: fp32, fp16 or bf16")
      ->capture_default_str();
  command
      .add_option(
          "--threads", options.threads,
          join_names(device_kinds_with(&DeviceTraits::takes_threads)) + ": threads that compute a batch")
      ->capture_default_str();
  command
      .add_option("--image-size", options.image,
                  "size of the images sent (default: the pipeline's, or 224x224)")
      ->type_name("HxW");
  command.add_option("--input", options.input, "size that they are resized to (default: the model's own)")
      ->type_name("HxW");
  command
      .add_option("--exit-points", options.exit_points,
                  "measure the cost of so many as well, of all, or of those that a set of profiles lists")
      ->capture_default_str();
  command
      .add_option("--half-width", options.half_width,
                  "repeat until half of each median's 95 % confidence interval is within "
                  "this share of it")
      ->capture_default_str();
  command.add_option("--limit-s", options.limit_s, "seconds for each model at most")->capture_default_str();
  command.add_option("--seed", options.seed, "of weights, images, the order, and arrivals for --goodput")
      ->capture_default_str();
  add_goodput_options(command, options.goodput);
  command.add_option("-o,--output", options.output, "the profiles' file (needed)")
      ->type_name("PROFILES.toml");
  command
      .add_flag("--add", options.add,
                "keep what the file has, such as profiles of other devices, and add to it")
      ->excludes("--goodput");
  command
      .add_option("--device-name", options.device_name,
                  "what the set calls the device, as [[cluster.device]] names it (default: what it is)")
      ->type_name("NAME");
  add_server_options(command, options);
}

struct ImportOptions {
  std::vector<std::string> files;
  std::string output;
  std::vector<std::pair<std::string, std::string>> said;  ///< options of the script and their values
};

/// A file for the script's answer, which is removed with this object: nothing reaches the output before it is
/// a set of profiles.
class ScratchFile {
 public:
  ScratchFile() {
    const int fd = ::mkstemp(path_.data());
    if (fd < 0) throw EnvironmentError(path_ + ": " + std::strerror(errno));
    ::close(fd);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() { ::unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = (std::filesystem::temp_directory_path() / "harness-import-XXXXXX").string();
};

int import_profiles(const ImportOptions& options) {
  if (!options.output.ends_with(".toml"))
    throw input_error({"", 0, "--output"}, "'" + options.output + "'", "a name that ends in .toml");
  const ScratchFile scratch;
  std::vector<std::string> words = {"--output=" + scratch.path()};
  for (const auto& [option, value] : options.said) words.push_back(option + "=" + value);
  words.emplace_back("--");
  words.insert(words.end(), options.files.begin(), options.files.end());
  const int code = run_python_script("workloads/importers/profiles.py", std::move(words),
                                     "the profiles could not be imported (see above)");
  if (code != 0) return code;
  const std::string text = read_file(scratch.path());
  const ProfileSet set = parse_profiles(options.output, text);
  write_file(options.output, text);
  print_text(text.substr(0, text.find("description = ")) + options.output + ": " + text_of_set(set) + "\n");
  return 0;
}

CLI::App* add_import(CLI::App& profile, int& exit_code) {
  const auto options = std::make_shared<ImportOptions>();
  CLI::App* command =
      profile.add_subcommand("import", "Write a set of profiles of what other tools measured");
  const auto add_said = [&](const std::string& name, const char* type, const char* what) {
    const auto take = [options, name](const std::string& value) { options->said.emplace_back(name, value); };
    command->add_option_function<std::string>(name, take, what)->type_name(type);
  };
  command->add_option("files", options->files, "what the tools wrote")->required()->type_name("FILE ...");
  add_said("--model", "NAME", "the model, where the files do not say");
  add_said("--device", "NAME", "the device, where the files do not say");
  add_said("--batch", "N,...", "the batch size of each file, where the files do not say");
  add_said("--latency", "COLUMN", "the column that holds the latency of a batch");
  add_said("--unit", "{ns,us,ms,s}", "its unit, where the column does not say");
  add_said("--layers", "N", "layers of the model, for Vidur's tables of operators");
  const auto add_repeated = [&](const std::string& name, const char* type, const char* what) {
    const auto take = [options, name](const std::vector<std::string>& values) {
      for (const std::string& value : values) options->said.emplace_back(name, value);
    };
    command->add_option_function<std::vector<std::string>>(name, take, what)
        ->allow_extra_args(false)
        ->type_name(type);
  };
  add_repeated("--where", "COLUMN=VALUE",
               "only rows with this value, of files that have the column; repeatable");
  add_repeated("--ignore", "COLUMN", "a column that does not matter for the latency; repeatable");
  command->add_option("-o,--output", options->output, "the profiles' file")
      ->required()
      ->type_name("PROFILES.toml");
  command->footer(
      "Read are tables (CSV) with a column of batch sizes and one of latencies, perf_analyzer, Model "
      "Analyzer,\n"
      "trtexec --exportTimes, Vidur's operators and traces of torch's profiler (docs/profile.md).\n"
      "Examples:\n"
      "  harness profile import latencies.csv --device l4 -o l4.toml\n"
      "  harness profile import b1.csv b4.csv --batch 1,4 --model resnet50 --device l4 -o l4.toml");
  command->callback([options, &exit_code] {
    if (launched_rank() == 0) exit_code = import_profiles(*options);
  });
  return command;
}

}  // namespace

void add_profile_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ProfileOptions>();
  CLI::App* command =
      app.add_subcommand("profile", "Measure models on this machine and write their profiles");
  add_options(*command, *options);
  command->footer(
      "Examples:\n"
      "  harness profile --model lenet --batches 1,2,4,8 -o lenet.toml\n"
      "  harness profile --device cuda:0 --pipeline tm --exit-points all -o tm.toml\n"
      "  harness profile --device cuda:0 --device-name gpu --pipeline small --add -o two-kinds.toml\n"
      "  harness profile --file mine.pt --input 224x224 -o mine.toml\n"
      "  harness profile --server http://127.0.0.1:8000 --model square -o square.toml\n"
      "  harness profile --profiles shepherd-v100 --goodput 100,250 -o goodput.toml\n"
      "Experiments name the file as `profiles = \"tm.toml\"`. docs/profile.md says how it is measured.\n"
      "Exit codes: 0 all measured; 1 a model failed, the others are in the file; 2 bad input, such as a "
      "model "
      "that\nfails on images of --input; 3 the environment failed.");
  CLI::App* import = add_import(*command, exit_code);
  command->callback([options, import, &exit_code] {
    if (launched_rank() != 0 || import->parsed()) return;
    if (options->output.empty()) throw CLI::RequiredError("--output");
    const GoodputOptions& goodput = options->goodput;
    if (!options->server.empty())
      exit_code = profile_server(*options);
    else
      exit_code = goodput.profiles.empty() ? ProfileRun(*options).run()
                                           : add_goodput(goodput, options->seed, options->output);
  });
}

}  // namespace harness
