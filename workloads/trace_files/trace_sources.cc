#include "workloads/trace_files/trace_sources.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"
#include "harness/core/input_file.h"
#include "harness/files/file_bytes.h"
#include "harness/files/sha256.h"
#include "harness/files/table_reader.h"
#include "workloads/catalogue/catalogue.h"
#include "workloads/trace_files/canonical_trace.h"
#include "workloads/trace_files/counts.h"
#include "workloads/trace_files/imported_trace.h"
#include "workloads/trace_files/trace_data.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

TraceSource source_of(const TableReader& fields) {
  fields.require_known({"name", "file", "repository", "commit", "path", "licence", "sha256", "description",
                        "format", "column", "bin_s"});
  TraceSource source;
  source.name = fields.text("name");
  source.file = fields.text("file");
  source.repository = fields.text("repository");
  source.commit = fields.text("commit");
  source.path = fields.text("path");
  source.licence = fields.text("licence");
  source.sha256 = fields.text("sha256");
  source.description = fields.text("description");
  source.format = fields.text("format");
  source.column = fields.text_or("column", "");
  source.bin_s = fields.number_or("bin_s", 1e-6, 1e7, 0);
  if (source.sha256.size() != 64 ||
      source.sha256.find_first_not_of("0123456789abcdef") != std::string::npos) {
    throw input_error(fields.place("sha256"), source.sha256, "64 hexadecimal digits in lower case");
  }
  if (source.name.find_first_of("/\\") != std::string::npos || source.name.front() == '.') {
    throw input_error(fields.place("name"), source.name, "a name without '/' that does not begin with '.'");
  }
  return source;
}

/// Paths of the regular files below the folder by file name, each list sorted.
std::map<std::string, std::vector<std::string>> files_below(const std::string& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    throw input_error({folder, 0, ""}, "no folder", "a folder that holds the traces");
  std::map<std::string, std::vector<std::string>> files;
  const auto options = fs::directory_options::skip_permission_denied;
  for (auto entry = fs::recursive_directory_iterator(folder, options, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored))
      files[entry->path().filename().string()].push_back(entry->path().string());
  }
  if (error) throw input_error({folder, 0, ""}, error.message(), "a readable folder");
  for (auto& [name, paths] : files) std::sort(paths.begin(), paths.end());
  return files;
}

void take(const std::string& out_folder, ImportOutcome& outcome) {
  TraceSpec spec;
  spec.shape = "file";
  spec.file = outcome.found_at;
  spec.format = outcome.source.format;
  spec.column = outcome.source.column;
  spec.bin_s = outcome.source.bin_s;
  TraceData data = imported_trace(spec, TraceParts::kLoad);
  if (!data.times_ns.empty()) data.counts = counts_of(data.times_ns, data.bin_s);
  outcome.kind = ImportOutcome::Kind::kImported;
  outcome.written_to = out_folder + "/" + outcome.source.name + ".csv.gz";
  outcome.bins = data.counts.size();
  for (const double count : data.counts) outcome.requests += count;
  const TraceSource& source = outcome.source;
  const std::string title = source.name + ": " + source.description + "\n# from " + source.repository + "@" +
                            source.commit + " " + source.path + " (" + source.licence +
                            ")\n# sha256 of the original " + source.sha256;
  write_file(outcome.written_to, counts_text(title, data.bin_s, data.counts));
}

/// Throws InputError for a log that is too large to be imported.
void check_size(const std::string& path, const InputPlace& named_at) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error || size <= kLargestTrace || is_canonical_trace(path, named_at)) return;
  const std::string largest = std::to_string(kLargestTrace >> 20) + " MiB";
  throw input_error(place_of_file(path, named_at), "more than " + largest, "at most " + largest);
}

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw EnvironmentError(folder + ": cannot make the folder: " + error.message());
}

}  // namespace

std::vector<TraceSource> parse_trace_sources(const std::string& file, std::string_view text) {
  const TomlValue document = parse_toml(file, text);
  const TableReader top(file, document);
  top.require_known({"trace"});
  std::vector<TraceSource> sources;
  for (const TableReader& fields : top.some_tables("trace")) sources.push_back(source_of(fields));
  return sources;
}

std::vector<TraceSource> trace_sources() {
  const std::string path = workloads_folder() + "/traces/SOURCES.toml";
  return parse_trace_sources(path, read_file(path));
}

std::string trace_checksum(const TraceSpec& spec) {
  if (spec.file.empty()) return "";
  std::error_code error;
  InputPlace place = place_of_field(spec, "file");
  place.key = "trace." + spec.name + ".file";
  if (fs::exists(spec.file, error) || error) {
    const InputPlace named_at = place.file.empty() ? InputPlace{} : place;
    check_size(spec.file, named_at);
    return sha256_of_file(spec.file, named_at);
  }
  const fs::path path = fs::path(spec.file).lexically_normal();
  const std::vector<TraceSource> sources = trace_sources();
  const bool is_real = std::any_of(sources.begin(), sources.end(),
                                   [&](const TraceSource& source) { return path.filename() == source.file; });
  throw input_error(
      place_of_file(path.string(), place), "no such file",
      std::string("a readable file") + (is_real ? " (set HARNESS_DATA to the folder above traces/; "
                                                  "workloads/traces/SOURCES.toml says where to get it)"
                                                : ""));
}

std::vector<ImportOutcome> import_sources(const std::vector<TraceSource>& sources, const std::string& folder,
                                          const std::string& out_folder) {
  const auto files = files_below(folder);
  std::vector<ImportOutcome> outcomes;
  for (const TraceSource& source : sources) {
    ImportOutcome outcome;
    outcome.source = source;
    const auto found = files.find(source.file);
    if (found != files.end()) {
      for (const std::string& path : found->second) {
        outcome.kind = ImportOutcome::Kind::kOtherChecksum;
        outcome.found_at = path;
        outcome.found_sha256 = sha256_of_file(path);
        if (outcome.found_sha256 != source.sha256) continue;
        make_folder(out_folder);
        take(out_folder, outcome);
        break;
      }
    }
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

std::string describe(const ImportOutcome& outcome) {
  const TraceSource& source = outcome.source;
  const std::string fetch = source.repository + "@" + source.commit + " " + source.path;
  if (outcome.kind == ImportOutcome::Kind::kMissing) {
    return source.name + ": missing " + source.file + "; fetch it from " + fetch + " (" + source.licence +
           ")";
  }
  if (outcome.kind == ImportOutcome::Kind::kOtherChecksum) {
    return source.name + ": not taken, " + outcome.found_at + " has SHA-256 " + outcome.found_sha256 +
           ", expected " + source.sha256 + " (" + fetch + ")";
  }
  return source.name + ": " + outcome.found_at + " -> " + outcome.written_to + " (" +
         std::to_string(outcome.bins) + " bins, " + text_of(outcome.requests) + " requests)";
}

}  // namespace harness
