#include "workloads/catalogue/profile_set.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <system_error>

#include "harness/core/input_file.h"
#include "harness/core/param_list.h"
#include "harness/core/wording.h"
#include "harness/files/batch_table.h"
#include "harness/files/file_bytes.h"
#include "harness/files/sha256.h"
#include "harness/files/table_reader.h"
#include "workloads/catalogue/catalogue.h"
#include "workloads/catalogue/measured_profile.h"
#include "workloads/catalogue/nexus_profile.h"
#include "workloads/catalogue/profile_table.h"
#include "workloads/catalogue/service_profiles.h"

namespace harness {
namespace {

/// Returns alpha b + beta for each batch size.
std::vector<TimeNs> linear_latency(const TableReader& fields, const ProfileTable& table) {
  if (table.alpha_ms + table.beta_ms < 1e-6)
    throw input_error(fields.place("alpha_ms"), "alpha + beta = 0", "a latency above 0");
  std::vector<TimeNs> latency;
  for (int batch = 1; batch <= table.max_batch; ++batch)
    latency.push_back(ms_to_ns(table.alpha_ms * batch + table.beta_ms));
  return latency;
}

/// Returns the batch sizes of the entries of latency_ms: 1, 2, 3, ... unless `batch` gives them.
std::vector<int> batch_points(const TableReader& fields, const ProfileTable& table) {
  const std::size_t count = table.latency_ms.size();
  std::vector<int> points;
  if (!fields.has("batch")) {
    for (std::size_t i = 0; i < count; ++i) points.push_back(static_cast<int>(i) + 1);
    return points;
  }
  for (const double batch : table.batch) {
    if (std::floor(batch) != batch)
      throw input_error(fields.place("batch"), text_of(batch), "integers from 1 to 4096");
    points.push_back(static_cast<int>(batch));
  }
  if (points.size() != count) {
    throw input_error(fields.place("batch"), std::to_string(points.size()) + " batch sizes",
                      std::to_string(count) + ", as many as latency_ms has");
  }
  if (points.front() != 1 || !std::is_sorted(points.begin(), points.end(), std::less_equal<>())) {
    throw input_error(fields.place("batch"), "batch sizes that do not rise from 1",
                      "1 first, then each larger than the last");
  }
  return points;
}

/// Stores latencies: straight lines between the given points.
void apply_tabled_latency(const TableReader& fields, const ProfileTable& table, Profile& profile) {
  const std::vector<double>& given = table.latency_ms;
  if (given.empty() || given.size() > kLargestBatch) {
    throw input_error(fields.place("latency_ms"), std::to_string(given.size()) + " latencies",
                      "1 to 4096 of them");
  }
  const std::vector<int> points = batch_points(fields, table);
  profile.latency_ns = {ms_to_ns(given[0])};
  for (std::size_t i = 1; i < points.size(); ++i) {
    const int steps = points[i] - points[i - 1];
    for (int step = 1; step <= steps; ++step) {
      const double share = static_cast<double>(step) / steps;
      profile.latency_ns.push_back(ms_to_ns(given[i - 1] + (given[i] - given[i - 1]) * share));
    }
  }
  profile.measured = points;
}

std::vector<GoodputPoint> goodput_of(const TableReader& fields, const ProfileTable& table) {
  if (fields.has("goodput_slo_ms") != fields.has("goodput_rps")) {
    const std::string one = fields.has("goodput_rps") ? "goodput_rps" : "goodput_slo_ms";
    throw input_error(fields.place(one), one + " alone", "both goodput_slo_ms and goodput_rps, or neither");
  }
  if (!fields.has("goodput_rps")) return {};
  const std::vector<double>& slos_ms = table.goodput_slo_ms;
  const std::vector<double>& rps = table.goodput_rps;
  if (slos_ms.empty() || slos_ms.size() != rps.size()) {
    throw input_error(fields.place("goodput_rps"), std::to_string(rps.size()) + " rates",
                      "one for each of goodput_slo_ms, which has " + std::to_string(slos_ms.size()));
  }
  if (!std::is_sorted(slos_ms.begin(), slos_ms.end(), std::less_equal<>())) {
    throw input_error(fields.place("goodput_slo_ms"), "SLOs that do not rise", "each larger than the last");
  }
  std::vector<GoodputPoint> points;
  for (std::size_t i = 0; i < rps.size(); ++i) points.push_back({ms_to_ns(slos_ms[i]), rps[i]});
  return points;
}

/// Checks cpu_ms and cores: both or neither. The CPU part is at most the whole of a batch of one.
void check_cores(const TableReader& fields, const Profile& profile) {
  if (fields.has("cpu_ms") != fields.has("cores")) {
    const std::string one = fields.has("cpu_ms") ? "cpu_ms" : "cores";
    throw input_error(fields.place(one), one + " alone", "both cpu_ms and cores, or neither");
  }
  if (!fields.has("cpu_ms")) return;
  const double most_ms = ns_to_ms(profile.latency(1)) * profile.cores;
  if (ns_to_ms(profile.cpu_ns) > most_ms) {
    throw input_error(fields.place("cpu_ms"), text_of(ns_to_ms(profile.cpu_ns)),
                      "at most cores x the latency of a batch of one, " + text_of(most_ms) + " ms");
  }
}

/// Checks that the keys of latencies go together: a line, or a table.
void check_latency_keys(const TableReader& fields) {
  const bool tabled = fields.has("latency_ms");
  if (tabled && (fields.has("alpha_ms") || fields.has("beta_ms") || fields.has("max_batch"))) {
    throw input_error(fields.place("latency_ms"), "latency_ms together with alpha_ms, beta_ms or max_batch",
                      "either a table of latencies or a line");
  }
  for (const char* key : {"batch", "measured"}) {
    if (!tabled && fields.has(key))
      throw input_error(fields.place(key), std::string(key) + " without latency_ms", "both or neither");
  }
  ProfileTable table;
  ParamList list;
  table.list(list);
  for (const char* key : {"alpha_ms", "beta_ms", "max_batch"}) {
    if (!tabled && !fields.has(key)) throw input_error(fields.place(key), "nothing", list.find(key)->allowed);
  }
}

Profile profile_of(const TableReader& fields, const SetTable& top) {
  const auto table = fields.read_as<ProfileTable>();
  Profile profile = table.profile;
  complete_names(fields, top, top.device, profile);
  check_latency_keys(fields);
  profile.goodput = goodput_of(fields, table);
  if (profile.goodput.empty())
    profile.goodput_source.clear();
  else if (profile.goodput_source.empty())
    profile.goodput_source = top.goodput_source;
  if (fields.has("latency_ms"))
    apply_tabled_latency(fields, table, profile);
  else
    profile.latency_ns = linear_latency(fields, table);
  check_cores(fields, profile);
  if (fields.has("measured")) read_measured(fields.table("measured"), table.latency_ms.size(), profile);
  return profile;
}

void add_profile(ProfileSet& set, Profile profile, const InputPlace& place) {
  const std::string model = profile.model;
  const std::string device = profile.device;
  const auto [first, is_new] = set.profiles.emplace(model, profile);
  const bool are_batches = profile.service == Service::kBatch && first->second.service == Service::kBatch;
  if (!is_new && !are_batches)
    throw input_error(place, "a second profile of '" + model + "'", "each service once");
  if (!set.devices[device].emplace(model, std::move(profile)).second) {
    throw input_error(place, "a second profile of '" + model + "' on " + device,
                      "each model once for each device");
  }
}

ProfileSet load_nexus_files(const std::string& path, const InputPlace& named_at) {
  ProfileSet set;
  set.name = stem_of(path);
  set.description = "profiles in the Nexus format from " + path;
  std::vector<std::string> files;
  if (path.ends_with(".txt")) {
    files.push_back(path);
  } else {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end;
         entry.increment(error)) {
      if (entry->path().extension() == ".txt") files.push_back(entry->path().string());
    }
    if (error || files.empty())
      throw input_error(place_of_file(path, named_at),
                        error ? error.message() : "a folder without a .txt file",
                        "a .toml file, or a folder of profiles in the Nexus format");
  }
  std::sort(files.begin(), files.end());
  std::string checksums;
  for (const std::string& file : files) {
    const std::string text = read_file(file, kLargestText, named_at);
    checksums += sha256_of(text);
    add_profile(set, parse_nexus_profile(file, text), {file, 1, "model"});
  }
  set.checksum = files.size() == 1 ? checksums : sha256_of(checksums);
  return set;
}

/// Returns the path of a base: the shipped set of that name, or a path from the folder of the set made from
/// it.
std::string base_path(const TableReader& top, const std::string& base) {
  if (is_path(base)) return (std::filesystem::path(top.file()).parent_path() / base).string();
  const std::vector<std::string> names = profile_set_names();
  if (std::find(names.begin(), names.end(), base) == names.end()) {
    const std::string near = nearest_name(base, names);
    throw input_error(
        top.place("base"), "'" + base + "'",
        join_names(names) + ", or a path" + (near.empty() ? "" : " (did you mean " + near + "?)"));
  }
  return path_in("profiles", "base", base);
}

/// Adds the time that a batch takes longer than in the base. The goodput is then another one, which is not
/// known.
void add_cost(Profile& profile, double batch_ms, double query_ms) {
  for (int batch = 1; batch <= profile.max_batch(); ++batch)
    profile.latency_ns[static_cast<std::size_t>(batch - 1)] += ms_to_ns(batch_ms + query_ms * batch);
  profile.goodput.clear();
  profile.goodput_source.clear();
  profile.source += "; and " + text_of(batch_ms) + " ms a batch, " + text_of(query_ms) + " ms a query";
}

/// Takes over the profiles of `base`, with the times that this set adds to their latencies.
void take_over(ProfileSet& set, const TableReader& top, const SetTable& table, ProfileSet base) {
  const auto changed = [&](std::map<std::string, Profile>& profiles) {
    for (auto& [model, profile] : profiles) {
      if (profile.service != Service::kBatch)
        throw input_error(top.place("base"), "'" + model + "' of " + base.name + ", which runs no batches",
                          "a set of [[profile]] alone");
      if (table.add_ms_per_batch + table.add_ms_per_query > 0)
        add_cost(profile, table.add_ms_per_batch, table.add_ms_per_query);
    }
  };
  changed(base.profiles);
  for (auto& [device, profiles] : base.devices) changed(profiles);
  set.profiles = std::move(base.profiles);
  set.devices = std::move(base.devices);
  set.checksum = sha256_of(set.checksum + base.checksum);
}

ProfileSet load_set(const std::string& path, const InputPlace& named_at, bool is_base);

ProfileSet parse_set(const std::string& file, std::string_view text, const InputPlace& named_at,
                     bool is_base) {
  const TomlValue document = parse_toml(file, text);
  const TableReader top(file, document);
  const auto table = top.read_as<SetTable>();
  ProfileSet set;
  set.name = stem_of(file);
  set.description = table.description;
  set.checksum = sha256_of(text);
  if (top.has("base")) {
    if (is_base)
      throw input_error(named_at, "'" + set.name + "', which has a base itself", "a set without one");
    take_over(set, top, table, load_set(base_path(top, table.base), top.place("base"), true));
  }
  for (const char* key : {"add_ms_per_batch", "add_ms_per_query"}) {
    if (top.has(key) && !top.has("base"))
      throw input_error(top.place(key), std::string(key) + " without base", "both or neither");
  }
  const auto add_all = [&](const char* key, Profile (*read)(const TableReader&, const SetTable&)) {
    for (const TableReader& fields : top.some_tables(key))
      add_profile(set, read(fields, table), fields.place("model"));
  };
  if (top.has("shared")) add_all("shared", shared_profile);
  if (top.has("delay")) add_all("delay", delay_profile);
  if (top.has("profile") || set.profiles.empty()) add_all("profile", profile_of);
  return set;
}

ProfileSet load_set(const std::string& path, const InputPlace& named_at, bool is_base) {
  std::error_code error;
  if (path.ends_with(".txt") || std::filesystem::is_directory(path, error))
    return load_nexus_files(path, named_at);
  const std::string text = read_file(path, kLargestText, named_at);
  if (!path.ends_with(".toml") && may_be_batch_table(text))
    throw input_error(place_of_file(path, named_at), kBatchTable, kBatchTableImport);
  return parse_set(path, text, named_at, is_base);
}

}  // namespace

ProfileSet parse_profiles(const std::string& file, std::string_view text) {
  return parse_set(file, text, {}, false);
}

ProfileSet load_profiles(const std::string& name_or_path, const InputPlace& named_at) {
  return load_set(path_in("profiles", "profiles", name_or_path), named_at, false);
}

std::vector<std::string> profile_set_names() { return names_in("profiles", ".toml"); }

}  // namespace harness
