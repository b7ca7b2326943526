#include "harness/machine/nvidia_driver_version.h"

#include <fstream>
#include <sstream>

namespace harness {

std::string nvidia_driver_version(const std::string& root) {
  std::ifstream file(root + "/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::istringstream words(line);
  for (std::string word; words >> word;) {
    const bool of_digits = word.find_first_not_of("0123456789.") == std::string::npos;
    if (of_digits && word.find('.') != std::string::npos) return word;
  }
  return "";
}

}  // namespace harness
