// Sets of profiles by name: the files under workloads/profiles, or any file of the same form.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/core/profile.h"

namespace harness {

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
/// Returns the names of the sets under workloads/profiles, sorted.
std::vector<std::string> profile_set_names();

}  // namespace harness
