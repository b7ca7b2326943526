// The transport of a single rank.
#pragma once

#include <memory>

#include "harness/live/transport/transport.h"

namespace harness {

/// Makes the transport of a single rank, which sends to itself.
std::unique_ptr<Transport> make_local_transport();

}  // namespace harness
