#include "workloads/catalogue/nexus_profile.h"

#include <vector>

#include "harness/files/text_lines.h"
#include "workloads/catalogue/profile_table.h"

namespace harness {
namespace {

/// Returns "vgg16" for "caffe:vgg16:1", and "yolo9000" for "darknet:yolo9000:1:480x480".
std::string model_name(const TextLines& lines) {
  const std::string_view id = lines.line();
  const std::size_t first = id.find(':');
  const std::size_t second = first == std::string_view::npos ? first : id.find(':', first + 1);
  if (second == std::string_view::npos || second == first + 1) {
    throw lines.error("model", quoted(id),
                      "FRAMEWORK:MODEL:VERSION (read as a Nexus profile, because it is not a .toml file)");
  }
  return std::string(id.substr(first + 1, second - first - 1));
}

void expect_line(TextLines& lines, std::string_view text) {
  if (!lines.next()) throw lines.error("", "the end of the file", std::string(text));
  if (trimmed(lines.line()) != text) throw lines.error("", quoted(lines.line()), std::string(text));
}

/// Reads a row of the forward table. Returns false if the line begins the next section.
bool read_row(const TextLines& lines, Profile& profile) {
  std::vector<std::string_view> fields;
  split_fields(lines.line(), fields);
  if (fields.size() == 1 && fields[0] == "Preprocess latency") return false;
  if (fields.size() != 4) {
    throw lines.error("", quoted(lines.line()), "batch,latency(us),std(us),memory(B)");
  }
  const int expected = profile.max_batch() + 1;
  if (number_field(lines, "batch", fields[0], 1, kLargestBatch) != expected) {
    throw lines.error("batch", std::string(fields[0]), std::to_string(expected) + ", the next batch size");
  }
  const double latency_us = number_field(lines, "latency(us)", fields[1], 1e-3, 1e10);
  number_field(lines, "std(us)", fields[2], 0, 1e10);
  const double memory_bytes = number_field(lines, "memory(B)", fields[3], 0, 1e15);
  if (profile.latency_ns.empty()) profile.memory_mb = memory_bytes * 1e-6;
  profile.latency_ns.push_back(ms_to_ns(latency_us * 1e-3));
  return true;
}

}  // namespace

Profile parse_nexus_profile(const std::string& file, std::string_view text) {
  TextLines lines(file, text);
  Profile profile;
  if (!lines.next()) throw lines.error("", "an empty file", "a profile in the Nexus format");
  profile.model = model_name(lines);
  if (!lines.next() || trimmed(lines.line()).empty())
    throw lines.error("device", "nothing", "the device's name");
  profile.device = std::string(trimmed(lines.line()));
  profile.source = "Nexus model database, " + file;
  expect_line(lines, "Forward latency");
  expect_line(lines, "batch,latency(us),std(us),memory(B)");
  while (lines.next_filled() && read_row(lines, profile)) {
  }
  if (profile.latency_ns.empty()) throw lines.error("", "no row of latencies", "at least batch size 1");
  return profile;
}

}  // namespace harness
