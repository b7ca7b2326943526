// A model of the zoo, as `harness list models` shows it.
#pragma once

#include <cstdint>
#include <string>

namespace harness {

struct ModelInfo {
  std::string name;
  std::int64_t parameters = 0;
  int input_height = 0;  ///< of the pictures that it takes; those sent are resized to them
  int input_width = 0;
  int exit_points = 0;  ///< SHEPHERD's Table 4; 0: not in it
  std::string source;   ///< who published the count of parameters, and of what
  std::string notes;    ///< what is unusual about it; "" if nothing
};

}  // namespace harness
