// The constants of batch assembly, from which CPU and GPU compute alike.
#pragma once

namespace harness {

struct InputFormat;

/// The constants from which every output value is computed: InputFormat with its divisions done.
struct AssemblyConstants {
  int height = 0;  ///< height of the output
  int width = 0;
  float half_row = 0;     ///< 1 / (2 height)
  float half_column = 0;  ///< 1 / (2 width)
  float gain[3] = {};     ///< scale / 255
  float offset[3] = {};   ///< -mean * scale
};

/// Checks the format and returns it as the arithmetic uses it. Throws InputError.
AssemblyConstants constants_of(const InputFormat& format);

}  // namespace harness
