// What `harness list models` shows.
#pragma once

#include <cstdint>
#include <string>

namespace harness {

/// A model of the zoo, as `harness list models` shows it.
struct ModelInfo {
  std::string name;
  std::int64_t parameters = 0;
  int input_height = 0;  ///< height of the images that it takes; others are resized to it
  int input_width = 0;
  int exit_points = 0;  ///< number of exit points in SHEPHERD's Table 4; 0: it is not in the table
  std::string source;   ///< publisher of the count of parameters, and the network that was counted
  std::string notes;    ///< remarks on what is unusual about it; "" if nothing
};

}  // namespace harness
