// The identity of this program, by which it knows the cells that it made.
#pragma once

#include <string>

namespace harness {

/// Returns a text that identifies the program: a hash of its own file and of the module of its devices, if
/// there is one. Two builds from the same sources, compiler and libraries agree.
std::string build_id();

}  // namespace harness
