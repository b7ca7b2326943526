// Pipelines, profiles and traces by name: the files under workloads/, or any file of the same form.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/profile.h"
#include "workloads/spec/trace_spec.h"

namespace harness {

// Where the shipped pipelines, profiles and trace sources lie.

/// Where workloads/, results/ and experiments/ lie: $HARNESS_HOME when that is set, else share/harness of the
/// installation that the program stands in; of a build that is a link to its sources.
std::string home_folder();
/// workloads/ there.
std::string workloads_folder();

/// The names (without `suffix`) of the files in workloads/FOLDER that end in `suffix`, sorted; none without
/// the folder. Throws EnvironmentError when there is no workloads/ at all.
std::vector<std::string> names_in(const std::string& folder, const std::string& suffix);

/// Returns true if it is a path and no name: it has a '/' or a '.'.
bool is_path(const std::string& name_or_path);
/// workloads/FOLDER/NAME.toml when `name_or_path` is a name, else the path itself (is_path(), or a folder
/// that no name is). Throws InputError listing the names when there is no such file.
std::string path_in(const std::string& folder, const char* what, const std::string& name_or_path);

/// "tm" for "a/b/tm.toml".
std::string stem_of(const std::string& path);

/// A pipeline by name (workloads/pipelines/NAME.toml) or path (ends in .toml). Throws InputError.
Pipeline load_pipeline(const std::string& name_or_path, const InputPlace& named_at = {});
/// The same from text; `file` is for messages and gives the pipeline's name (its stem).
Pipeline parse_pipeline(const std::string& file, std::string_view text);
/// The pipelines under workloads/pipelines, sorted.
std::vector<std::string> pipeline_names();

/// A set of profiles: of each model one, or one for each of several devices.
struct ProfileSet {
  std::string name;
  std::string description;
  std::string checksum;                     ///< SHA-256 of its file(s), hex
  std::map<std::string, Profile> profiles;  ///< of each model the first in the file
  /// All: by device, then by model. A cluster with kinds of devices takes those of their names.
  std::map<std::string, std::map<std::string, Profile>> devices;
};
/// A set by name (workloads/profiles/NAME.toml) or path (.toml, or a folder or file in the Nexus format).
/// Throws InputError.
ProfileSet load_profiles(const std::string& name_or_path, const InputPlace& named_at = {});
/// A TOML set from text; `file` is for messages and gives the set's name (its stem). The key `base` names a
/// set whose profiles it takes over, with add_ms_per_batch + b x add_ms_per_query added to each latency; a
/// base has none itself, and the checksum covers both files.
ProfileSet parse_profiles(const std::string& file, std::string_view text);
/// One profile in the format of Nexus's model database (SOSP'19, released code): name, device, "Forward
/// latency", a row `batch,latency(us),std(us),memory(B)` for each batch size 1, 2, ..., then pre- and
/// post-processing, which are not used (they run on CPUs). Model "caffe:vgg16:1" is called "vgg16".
Profile parse_nexus_profile(const std::string& file, std::string_view text);
/// The sets under workloads/profiles, sorted.
std::vector<std::string> profile_set_names();

}  // namespace harness
