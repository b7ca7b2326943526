// Texts and numbers as JSON.
#pragma once

#include <string>
#include <vector>

namespace harness {

/// In quotes, with '"', '\' and control characters escaped.
std::string json_string(const std::string& text);
/// The shortest form that reads back to the same value; "null" for infinities and NaN.
std::string json_number(double value);
/// An array of texts on one line.
std::string json_strings(const std::vector<std::string>& texts);

}  // namespace harness
