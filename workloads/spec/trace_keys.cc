#include "workloads/spec/trace_keys.h"

namespace harness {

std::vector<std::string> stream_trace_keys() {
  return {"shape",       "streams", "file",     "format",    "column",
          "time_column", "where",   "group_by", "time_unit", "duration_s"};
}

std::string* text_field(TraceSpec& spec, const std::string& key) {
  return key == "file"          ? &spec.file
         : key == "format"      ? &spec.format
         : key == "column"      ? &spec.column
         : key == "time_column" ? &spec.time_column
         : key == "where"       ? &spec.where
         : key == "group_by"    ? &spec.group_by
                                : nullptr;
}

std::vector<std::string> reading_keys() {
  return {"format", "column", "time_column", "where", "group_by", "time_unit", "bin_s", "rate_unit", "holes"};
}

}  // namespace harness
