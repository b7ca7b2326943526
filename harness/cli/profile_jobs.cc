#include "harness/cli/profile_jobs.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"
#include "harness/core/param_list.h"
#include "harness/core/wording.h"
#include "harness/files/file_bytes.h"
#include "harness/gpu/device/devices.h"
#include "harness/live/tensors/tensors.h"
#include "workloads/catalogue/measured_profile.h"
#include "workloads/catalogue/pipeline_file.h"
#include "workloads/catalogue/profile_set.h"
#include "workloads/catalogue/profile_table.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

constexpr int kLargestSide = 4096;

struct Size {
  int height = 0;
  int width = 0;
  int area() const { return height * width; }
};

InputError wrong(const char* option, const std::string& found, const std::string& allowed) {
  return input_error({"", 0, option}, found, allowed);
}

std::optional<int> whole(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Reads a size such as "480x640", height first.
Size size_of(const char* option, const std::string& text) {
  const std::size_t cross = text.find('x');
  const std::string_view view = text;
  const auto height = whole(view.substr(0, cross));
  const auto width = cross == std::string::npos ? std::nullopt : whole(view.substr(cross + 1));
  const auto fits = [](std::optional<int> side) { return side && *side >= 1 && *side <= kLargestSide; };
  if (!fits(height) || !fits(width))
    throw wrong(option, "'" + text + "'", "HEIGHTxWIDTH in pixels, 1 to 4096 each, such as 480x640");
  return {*height, *width};
}

/// The choice of the number of exit points with which each model is measured.
class ExitPointChoice {
 public:
  explicit ExitPointChoice(const std::string& text) {
    const std::optional<int> count = text == "all" ? kAllExitPoints : whole(text);
    const std::vector<std::string> names = profile_set_names();
    if (text.ends_with(".toml") || std::find(names.begin(), names.end(), text) != names.end()) {
      set_ = load_profiles(text);
    } else if (count && *count <= kMax && (*count >= 0 || text == "all")) {
      of_all_ = *count;
    } else {
      throw wrong("--exit-points", "'" + text + "'",
                  "all, an integer from 0 to 1000000, or a set of profiles that lists them");
    }
  }
  int of(const std::string& model) const {
    if (!set_) return of_all_;
    const auto found = set_->profiles.find(model);
    return found == set_->profiles.end() ? 0 : found->second.exit_points;
  }

 private:
  static constexpr int kMax = 1'000'000;
  int of_all_ = 0;
  std::optional<ProfileSet> set_;
};

struct ListedModel {
  std::string name;
  Size image;
  std::string file;  ///< file of a pipeline's module, which takes images of `input`; empty: a model without a
                     ///< file of its own
  Size input;
  std::size_t output_bytes = 0;  ///< number of bytes that an image leaves behind for the modules that follow
};

/// The models, each once, with the images that they get and the bytes that these leave behind: the largest of
/// the model's.
class ModelList {
 public:
  explicit ModelList(Size usual) : usual_(usual) {}
  void add(ListedModel model) {
    if (model.image.area() == 0) model.image = usual_;
    for (ListedModel& one : models_) {
      if (one.name != model.name) continue;
      if (one.file != model.file)
        throw wrong("--pipeline", "two files for the model " + one.name, "another name for each");
      if (model.image.area() > one.image.area()) one.image = model.image;
      one.output_bytes = std::max(one.output_bytes, model.output_bytes);
      return;
    }
    models_.push_back(std::move(model));
  }
  const std::vector<ListedModel>& models() const { return models_; }

 private:
  Size usual_;
  std::vector<ListedModel> models_;
};

ListedModel model_of(const Pipeline& pipeline, ModuleId id, bool own_image) {
  const Module& module = pipeline.modules[id];
  const Size declared = {module.input_height, module.input_width};
  return {module.model, own_image ? declared : Size{}, module.file, module.file.empty() ? Size{} : declared,
          output_bytes(pipeline, id)};
}

ModelList models_of(const ProfileOptions& options) {
  ModelList list(options.image.empty() ? Size{224, 224} : size_of("--image-size", options.image));
  for (const std::string& model : options.models)
    list.add({.name = model, .image = {}, .file = "", .input = {}});
  for (const std::string& name : options.pipelines) {
    const Pipeline pipeline = load_pipeline(name);
    for (ModuleId id = 0; id < pipeline.modules.size(); ++id)
      list.add(model_of(pipeline, id, options.image.empty()));
  }
  if (!options.file.empty() && options.models.empty())
    list.add({.name = fs::path(options.file).stem().string(), .image = {}, .file = "", .input = {}});
  if (list.models().empty()) {
    const std::vector<std::string> names = zoo_model_names();
    throw wrong("--model", "no model",
                "--model, --pipeline or --file" + (names.empty() ? "" : "; models: " + join_names(names)));
  }
  if (!options.file.empty() && list.models().size() > 1)
    throw wrong("--file", std::to_string(list.models().size()) + " models",
                "one --model, as the file's name");
  return list;
}

void check_names(const ModelList& list) {
  for (const ListedModel& model : list.models()) {
    const std::string& name = model.name;
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 0x7f; });
    if (name.empty() || !plain)
      throw wrong("--model", "'" + name + "'", "a name of printable ASCII, without spaces");
  }
}

}  // namespace

std::vector<int> batches_of(const ProfileOptions& options) {
  if (options.batches.empty()) {
    if (options.max_batch < 1 || options.max_batch > kLargestBatch)
      throw wrong("--max-batch", std::to_string(options.max_batch), "1 to 4096");
    return usual_batches(options.max_batch);
  }
  const std::vector<int>& batches = options.batches;
  const bool rising = std::is_sorted(batches.begin(), batches.end(), std::less_equal<>());
  if (!rising || batches.front() != 1 || batches.back() > kLargestBatch)
    throw wrong("--batches", "sizes that do not rise from 1",
                "1 first, then each larger than the last, at most 4096");
  return batches;
}

RepeatRule rule_of(const ProfileOptions& options) {
  if (!(options.half_width > 0 && options.half_width < 1))
    throw wrong("--half-width", text_of(options.half_width), "a share above 0 and below 1, such as 0.02");
  if (!(options.limit_s > 0 && options.limit_s <= 86'400))
    throw wrong("--limit-s", text_of(options.limit_s), "above 0, at most 86400 s");
  RepeatRule rule;
  rule.half_width = options.half_width;
  rule.limit_ns = s_to_ns(options.limit_s);
  rule.seed = options.seed;
  return rule;
}

void check_profile_output(const std::string& output) {
  std::error_code error;
  const bool special = fs::exists(output, error) && !fs::is_regular_file(output, error);
  if (fs::is_directory(output, error) || (!special && !output.ends_with(".toml")))
    throw wrong("--output", "'" + output + "'", "a file that ends in .toml");
  const fs::path folder = fs::path(output).has_parent_path() ? fs::path(output).parent_path() : fs::path(".");
  if (!fs::is_directory(folder, error))
    throw EnvironmentError(output + ": its folder " + folder.string() + " does not exist");
  if (!special && ::access(folder.c_str(), W_OK) != 0)
    throw EnvironmentError(output + ": its folder " + folder.string() + " cannot be written to");
}

bool is_profile_file(const std::string& output) {
  std::error_code error;
  return !fs::exists(output, error) || fs::is_regular_file(output, error);
}

std::string text_before(const std::string& output, const std::string& device,
                        const std::vector<std::string>& models) {
  std::error_code error;
  if (!fs::is_regular_file(output, error)) return "";
  const std::string text = read_file(output);
  const ProfileSet set = parse_profiles(output, text);
  const auto own = set.devices.find(device);
  for (const std::string& model : models) {
    if (own == set.devices.end() || !own->second.contains(model)) continue;
    throw input_error({output, 0, "profile"}, "a profile of '" + model + "' on " + device,
                      "with --add other models, or another --device-name");
  }
  return text;
}

ProfileJobs profile_jobs(const ProfileOptions& options) {
  ProfileJobs result;
  check_goodput(options.goodput);
  result.device = parse_device(options.device, "--device");
  if (options.threads < 1 || options.threads > 1024)
    throw wrong("--threads", std::to_string(options.threads), "1 to 1024");
  result.device.threads = options.threads;
  ProfileJob job;
  job.params.batches = batches_of(options);
  job.params.rule = rule_of(options);
  job.source.file = options.file;
  job.source.seed = options.seed;
  const std::optional<Precision> precision = precision_of(options.precision);
  if (!precision) throw wrong("--precision", "'" + options.precision + "'", "fp32, fp16 or bf16");
  job.source.precision = *precision;
  const ExitPointChoice exit_points(options.exit_points);
  if (!options.file.empty()) check_model(result.device, job.source, "--file");
  job.wants_exit_points = options.exit_points != "0";
  job.source.max_batch = job.params.batches.back();
  if (!options.input.empty()) {
    const Size input = size_of("--input", options.input);
    job.source.input_height = input.height;
    job.source.input_width = input.width;
  } else if (!options.file.empty()) {
    throw wrong("--input", "nothing", "HEIGHTxWIDTH: what the model of --file takes");
  }
  const ModelList list = models_of(options);
  check_names(list);
  result.device_name = make_device(result.device, [] {})->name();
  for (const ListedModel& model : list.models()) {
    ProfileJob& own = result.jobs.emplace_back(job);
    own.source.model = model.name;
    own.source.output_bytes = model.output_bytes;
    own.source.exit_points = exit_points.of(model.name);
    own.params.image_height = model.image.height;
    own.params.image_width = model.image.width;
    if (!model.file.empty()) {
      own.source.file = model.file;
      own.source.input_height = model.input.height;
      own.source.input_width = model.input.width;
    }
    check_model(result.device, own.source, options.pipelines.empty() ? "--model" : "--model or --pipeline");
  }
  check_profile_output(options.output);
  return result;
}

}  // namespace harness
