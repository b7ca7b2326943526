#include "harness/core/environment_error.h"

#include <new>

namespace harness {

std::string reason_of(const std::exception& error) {
  const bool is_memory = dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
                         dynamic_cast<const std::length_error*>(&error) != nullptr;
  return is_memory ? "there is not enough memory" : error.what();
}

}  // namespace harness
