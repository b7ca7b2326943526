#include "harness/machine/machine_files.h"

#include <unistd.h>

#include <cstddef>
#include <fstream>

#include "harness/machine/kernel_text.h"

namespace harness {
namespace {

constexpr std::size_t kLongestFile = std::size_t{1} << 16;

}  // namespace

std::optional<std::string> MachineFiles::read(const std::string& name) const {
  std::ifstream file(path(name), std::ios::binary);
  if (!file) return std::nullopt;
  std::string text(kLongestFile, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return std::nullopt;
  text.resize(static_cast<std::size_t>(file.gcount()));
  text.resize(text.find_last_not_of(" \t\r\n") + 1);
  return text;
}

bool MachineFiles::exists(const std::string& name) const { return ::access(path(name).c_str(), F_OK) == 0; }

std::optional<std::int64_t> MachineFiles::read_number(const std::string& name) const {
  const auto text = read(name);
  return text ? parsed<std::int64_t>(*text) : std::nullopt;
}

}  // namespace harness
