// The failure of a question to a running server.
#pragma once

#include "harness/core/environment_error.h"

namespace harness {

/// The server is not there, is not ready, or answers otherwise than the protocol says. what() is one line
/// that begins with the address.
class ServerFault : public EnvironmentError {
  using EnvironmentError::EnvironmentError;
};

}  // namespace harness
