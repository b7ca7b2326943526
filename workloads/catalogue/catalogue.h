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

// The folder of the shipped pipelines, profiles and trace sources.

/// Returns the folder that has workloads/, results/ and experiments/: $HARNESS_HOME if that is set, else
/// share/harness of the installation that has this program. In a build that is a link to the sources.
std::string home_folder();
/// Returns workloads/ in home_folder().
std::string workloads_folder();

/// Returns the names (without `suffix`) of the files in workloads/FOLDER that end in `suffix`, sorted; empty
/// without the folder. Throws EnvironmentError if there is no workloads/ at all.
std::vector<std::string> names_in(const std::string& folder, const std::string& suffix);

/// True if it is a path and no name: it has a '/' or a '.'.
bool is_path(const std::string& name_or_path);
/// Returns workloads/FOLDER/NAME.toml if `name_or_path` is a name, else the path itself (is_path(), or a
/// folder whose name is no such name). Throws InputError listing the names if there is no such file.
std::string path_in(const std::string& folder, const char* what, const std::string& name_or_path);

/// Returns "tm" for "a/b/tm.toml".
std::string stem_of(const std::string& path);

/// Loads a pipeline by name (workloads/pipelines/NAME.toml) or path (ends in .toml). Throws InputError.
Pipeline load_pipeline(const std::string& name_or_path, const InputPlace& named_at = {});
/// Reads a pipeline from text; `file` is for messages and gives the pipeline's name (its stem).
Pipeline parse_pipeline(const std::string& file, std::string_view text);
/// Returns the names of the pipelines under workloads/pipelines, sorted.
std::vector<std::string> pipeline_names();

/// A set of profiles: one for each model, or one for each model and device.
struct ProfileSet {
  std::string name;
  std::string description;
  std::string checksum;                     ///< SHA-256 of the set's file(s), hex
  std::map<std::string, Profile> profiles;  ///< first profile of each model in the file
  /// All profiles, by device, then by model. A cluster with kinds of devices takes the devices of their
  /// names.
  std::map<std::string, std::map<std::string, Profile>> devices;
};
/// Loads a set by name (workloads/profiles/NAME.toml) or path (.toml, or a folder or file in the Nexus
/// format). Throws InputError.
ProfileSet load_profiles(const std::string& name_or_path, const InputPlace& named_at = {});
/// Reads a TOML set from text; `file` is for messages and gives the set's name (its stem). The key `base`
/// names a set whose profiles it takes over, with add_ms_per_batch + b x add_ms_per_query added to each
/// latency; a base has no base itself, and the checksum covers both files.
ProfileSet parse_profiles(const std::string& file, std::string_view text);
/// Reads one profile in the format of Nexus's model database (SOSP'19, released code): name, device, "Forward
/// latency", a row `batch,latency(us),std(us),memory(B)` for each batch size 1, 2, ..., then pre- and
/// post-processing, which are not used (they run on CPUs). Model "caffe:vgg16:1" is called "vgg16".
Profile parse_nexus_profile(const std::string& file, std::string_view text);
/// Returns the names of the sets under workloads/profiles, sorted.
std::vector<std::string> profile_set_names();

}  // namespace harness
