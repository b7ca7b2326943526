#include "harness/gpu/inputs/assembly_constants.h"

#include <cstddef>

#include "harness/gpu/inputs/input_format.h"

namespace harness {

AssemblyConstants constants_of(const InputFormat& format) {
  check_format(format);
  AssemblyConstants constants;
  constants.height = format.height;
  constants.width = format.width;
  constants.half_row = 1.0F / static_cast<float>(2 * format.height);
  constants.half_column = 1.0F / static_cast<float>(2 * format.width);
  for (std::size_t channel = 0; channel < 3; ++channel) {
    const double scale = static_cast<double>(format.scale[channel]);
    constants.gain[channel] = static_cast<float>(scale / 255.0);
    constants.offset[channel] = static_cast<float>(-static_cast<double>(format.mean[channel]) * scale);
  }
  return constants;
}

}  // namespace harness
