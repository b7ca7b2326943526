#include "workloads/trace_files/imported_trace.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <optional>
#include <system_error>
#include <tuple>

#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"
#include "harness/core/input_file.h"
#include "harness/core/printable.h"
#include "harness/files/sha256.h"
#include "workloads/catalogue/catalogue.h"
#include "workloads/catalogue/run_python.h"
#include "workloads/spec/trace_keys.h"
#include "workloads/spec/unused_key.h"
#include "workloads/trace_files/canonical_trace.h"
#include "workloads/trace_files/trace_data.h"
#include "workloads/trace_files/trace_sources.h"

namespace harness {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* kImporter = "workloads/importers/traces.py";

/// Returns the keys that say how the file is read, as options of the importer.
Words options_of(const TraceSpec& given, TraceParts parts) {
  constexpr const char* kParts[] = {"load", "functions", "modules"};
  TraceSpec spec = given;
  TraceSpec standard;
  ParamList params, standards;
  spec.list_all(params);
  standard.list_all(standards);
  Words words = {std::string("--parts=") + kParts[static_cast<int>(parts)]};
  for (const std::string& key : reading_keys()) {
    std::string option = "--" + key;
    std::replace(option.begin(), option.end(), '_', '-');
    const ParamValue value = params.find(key)->get();
    if (value != standards.find(key)->get()) words.push_back(option + "=" + text_of(value));
  }
  return words;
}

/// Returns the places of the keys, as options of the importer, for its messages.
Words places_of(const TraceSpec& spec) {
  Words words;
  Words keys = reading_keys();
  keys.emplace_back("file");
  for (const std::string& key : keys) {
    const InputPlace place = place_of_field(spec, key);
    words.insert(words.end(), {"--place", key, place.file, std::to_string(place.line), place.key});
  }
  return words;
}

/// Returns a checksum of the importer's own files, which changes when they do.
std::string importer_version() {
  static const std::string kVersion = [] {
    Words files = {home_folder() + "/" + kImporter};
    if (!fs::exists(files[0])) throw EnvironmentError(files[0] + ": not found (set HARNESS_HOME)");
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(workloads_folder() + "/importers/logs", error)) {
      if (entry.path().extension() == ".py") files.push_back(entry.path().string());
    }
    std::sort(files.begin(), files.end());
    std::string all;
    for (const std::string& file : files) all += sha256_of_file(file);
    return sha256_of(all);
  }();
  return kVersion;
}

/// Runs the importer. Throws its refusal.
void run_importer(const TraceSpec& spec, TraceParts parts, const std::string& output, ProgramOutput shown) {
  std::string input;  // a word behind the other: a command line may be too short for them
  Words words = options_of(spec, parts);
  for (std::string& word : places_of(spec)) words.push_back(std::move(word));
  words.insert(words.end(), {"--output=" + output, "--", spec.file});
  for (const std::string& word : words) input += word + '\0';
  const ProgramEnd end = run_python(kImporter, {"--words-from-input"}, shown, input);
  if (end.exit_code == 0) return;
  std::string line = end.errors.substr(0, end.errors.find_last_not_of('\n') + 1);
  line = line.substr(line.rfind('\n') + 1);
  constexpr int kRefused = 2;
  constexpr int kMachine = 3;
  if (end.exit_code == kRefused && !line.empty()) throw InputError(line);
  if (end.exit_code == kMachine && !line.empty()) throw EnvironmentError(line);
  throw EnvironmentError(spec.file + ": the importer of traces " +
                         (line.empty() ? "was stopped" : "failed: " + printable(line)));
}

/// A folder that only this process knows, which lives as long as the process.
class ScratchFolder {
 public:
  ScratchFolder() {
    if (::mkdtemp(path_.data()) == nullptr)
      throw EnvironmentError(path_ + ": cannot be made: " + std::strerror(errno));
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  const std::string& path() const { return path_; }

 private:
  static std::string template_in_temporary_folder() {
    std::error_code error;
    const fs::path folder = fs::temp_directory_path(error);
    return ((error ? fs::path("/tmp") : folder) / "harness-trace-XXXXXX").string();
  }

  std::string path_ = template_in_temporary_folder();
};

/// Returns the trace in the file, or nothing if it cannot be read as a trace of a log with this checksum.
std::optional<TraceData> kept_trace(const std::string& path, const std::string& checksum) {
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  try {
    TraceData data = read_canonical_trace(path);
    if (data.source_sha256 == checksum) return data;
  } catch (const InputError&) {
  }
  return std::nullopt;  // it is imported again
}

/// Imports the log into the folder. Throws EnvironmentError if that fails.
TraceData made_in(const std::string& folder, const std::string& name, const TraceSpec& spec, TraceParts parts,
                  const std::string& checksum) {
  run_importer(spec, parts, folder + name, ProgramOutput::kNoneCaught);
  try {
    TraceData data = read_canonical_trace(folder + name);
    if (data.source_sha256 == checksum) return data;
  } catch (const InputError& fault) {
    throw EnvironmentError(spec.file + ": the importer of traces left no trace: " + fault.what());
  }
  std::error_code error;
  fs::remove(folder + name, error);
  throw input_error({spec.file, 0, ""}, "a file that changes while it is read", "a file that stays as it is");
}

TraceData made_by_importer(const TraceSpec& spec, TraceParts parts, const std::string& checksum) {
  static std::optional<ScratchFolder> scratch;
  static std::mutex scratch_mutex;
  std::string all = importer_version() + checksum;
  for (const std::string& word : options_of(spec, parts)) all += word + '\0';
  const std::string name = "/" + sha256_of(all) + ".trace";
  const std::string cache = cache_folder() + "/traces";
  if (std::optional<TraceData> kept = kept_trace(cache + name, checksum)) return std::move(*kept);
  std::error_code error;
  if (!cache_folder().empty()) fs::create_directories(cache, error);
  if (!cache_folder().empty() && ::access(cache.c_str(), W_OK | X_OK) == 0)
    return made_in(cache, name, spec, parts, checksum);
  const std::lock_guard lock(scratch_mutex);
  if (!scratch) scratch.emplace();
  if (std::optional<TraceData> kept = kept_trace(scratch->path() + name, checksum)) return std::move(*kept);
  return made_in(scratch->path(), name, spec, parts, checksum);
}

/// Throws InputError for keys that say how a file is read if the file is canonical.
void refuse_reading_keys(const TraceSpec& spec, const TraceData& data) {
  for (const std::string& option : options_of(spec, TraceParts::kLoad)) {
    std::string key = option.substr(2, option.find('=') - 2);
    std::replace(key.begin(), key.end(), '-', '_');
    if (key == "parts" || (key == "bin_s" && !data.times_ns.empty())) continue;
    throw input_error(place_of_field(spec, key), key + " for a trace that is imported already",
                      "no such key, or file = the log itself");
  }
}

/// The key on which the contents of a trace depend.
using TraceKey = std::tuple<std::string, FileState, Words, Words>;

struct KeptTrace {
  TraceKey key;
  std::shared_ptr<const TraceData> data;  ///< null if the file is refused
  std::string refusal;
};

std::size_t bytes_of(const std::vector<KeptTrace>& kept) {
  std::size_t bytes = 0;
  for (const KeptTrace& one : kept) {
    if (one.data == nullptr) continue;
    bytes += sizeof(TimeNs) * one.data->times_ns.size() + sizeof(double) * one.data->counts.size() +
             sizeof(TokenCount) * one.data->tokens.size() + sizeof(std::int32_t) * one.data->module_of.size();
  }
  return bytes;
}

KeptTrace read_to_keep(const TraceSpec& spec, TraceKey key) {
  KeptTrace kept{std::move(key), nullptr, ""};
  try {
    kept.data = std::make_shared<const TraceData>(imported_trace(spec, TraceParts::kLoad));
  } catch (const InputError& error) {
    kept.refusal = error.what();
  }
  return kept;
}

}  // namespace

std::string cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  if (const std::string own = variable("HARNESS_CACHE"); !own.empty()) return own;
  if (const std::string all = variable("XDG_CACHE_HOME"); !all.empty()) return all + "/harness";
  const std::string home = variable("HOME");
  return home.empty() ? "" : home + "/.cache/harness";
}

TraceData imported_trace(const TraceSpec& spec, TraceParts parts) {
  const std::string checksum = trace_checksum(spec);
  TraceData data;
  if (is_canonical_trace(spec.file)) {
    data = read_canonical_trace(spec.file);
    refuse_reading_keys(spec, data);
    const bool has_parts = parts == TraceParts::kFunctions ? !data.rates.empty()
                           : parts == TraceParts::kModules ? !data.modules.empty()
                                                           : data.rates.empty();
    if (!has_parts)
      throw input_error(
          place_of_field(spec, "file"), "an imported trace without what is needed of it",
          parts == TraceParts::kModules ? "a trace whose requests name their modules" : "the log itself");
  } else {
    data = made_by_importer(spec, parts, checksum);
  }
  data.checksum = checksum;
  if (parts == TraceParts::kLoad) check_keys_of_file(spec, data.format);
  if (spec.bin_s > 0) data.bin_s = spec.bin_s;  // of an imported file of times
  return data;
}

void import_trace(const TraceSpec& spec, const std::string& output) {
  run_importer(spec, TraceParts::kLoad, output, ProgramOutput::kOursCaught);
}

std::shared_ptr<const TraceData> recorded_trace(const TraceSpec& spec) {
  constexpr std::size_t kMaxKept = 4;
  constexpr std::size_t kMaxBytes = std::size_t{1} << 29;
  static thread_local std::vector<KeptTrace> kept;
  struct stat status {};
  ::stat(spec.file.c_str(), &status);  // if it fails, reading says why
  TraceKey key{spec.file, state_of(status), options_of(spec, TraceParts::kLoad), places_of(spec)};
  const auto known = std::ranges::find(kept, key, &KeptTrace::key);
  if (known != kept.end()) {
    std::rotate(known, known + 1, kept.end());
  } else {
    KeptTrace read = read_to_keep(spec, std::move(key));
    while (kept.size() == kMaxKept || bytes_of(kept) > kMaxBytes) kept.erase(kept.begin());
    kept.push_back(std::move(read));
  }
  const KeptTrace& found = kept.back();
  if (found.data == nullptr) throw InputError(found.refusal);
  check_keys_of_file(spec, found.data->format);
  return found.data;
}

void prepare_trace(const TraceSpec& spec) {
  if (spec.file.empty()) return;
  const auto has = [&](StreamProcess process) {
    return std::any_of(spec.streams.begin(), spec.streams.end(),
                       [&](const StreamClass& one) { return one.process == process; });
  };
  if (spec.shape == "file")
    recorded_trace(spec);
  else
    imported_trace(spec, has(StreamProcess::kRecorded) ? TraceParts::kModules : TraceParts::kFunctions);
}

TraceTokens recorded_tokens(const TraceSpec& spec) {
  if (spec.shape != "file") return {};
  const std::shared_ptr<const TraceData> read = recorded_trace(spec);
  const TraceData& data = *read;
  const TimeNs from = s_to_ns(spec.from_s);
  const TimeNs to = spec.to_s > 0 ? s_to_ns(spec.to_s) : kNever;
  TraceTokens tokens;
  for (std::size_t i = 0; i < data.tokens.size(); ++i) {
    if (data.times_ns[i] >= from && data.times_ns[i] < to) tokens.push_back(data.tokens[i]);
  }
  return tokens;
}

std::map<std::string, std::vector<TimeNs>> times_by_module(const TraceSpec& spec) {
  const TraceData data = imported_trace(spec, TraceParts::kModules);
  std::map<std::string, std::vector<TimeNs>> times;
  for (std::size_t i = 0; i < data.times_ns.size(); ++i)
    times[data.modules[static_cast<std::size_t>(data.module_of[i])]].push_back(data.times_ns[i]);
  return times;
}

}  // namespace harness
