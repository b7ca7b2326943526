// Profiles in the format of Nexus's model database.
#pragma once

#include <string>
#include <string_view>

#include "harness/core/profile.h"

namespace harness {

/// Reads one profile in the format of Nexus's model database (SOSP'19, released code): name, device, "Forward
/// latency", a row `batch,latency(us),std(us),memory(B)` for each batch size 1, 2, ..., then pre- and
/// post-processing, which are not used (they run on CPUs). Model "caffe:vgg16:1" is called "vgg16".
Profile parse_nexus_profile(const std::string& file, std::string_view text);

}  // namespace harness
