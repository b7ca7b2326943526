// Goodput of models, written into a file of profiles that people keep.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/profile.h"

namespace harness {

/// Returns the text of a set of profiles with the goodput of each model of `goodput` in its [[profile]],
/// instead of earlier keys (goodput_slo_ms, goodput_rps), and with `source`, one line of printable ASCII, as
/// the set's goodput_source. All else stays as it is, comments too. `file` is for messages. Throws InputError
/// if the text is not a set of profiles, or not laid out in lines: each key on its own.
std::string with_goodput(const std::string& file, std::string_view text,
                         const std::map<std::string, std::vector<GoodputPoint>>& goodput,
                         const std::string& source);

}  // namespace harness
