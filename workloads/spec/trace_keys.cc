#include "workloads/spec/trace_keys.h"

namespace harness {

std::vector<std::string> stream_trace_keys() {
  return {"shape",       "streams", "file",     "format",    "column",
          "time_column", "where",   "group_by", "time_unit", "duration_s"};
}

std::vector<std::string> reading_keys() {
  return {"format", "column", "time_column", "where", "group_by", "time_unit", "bin_s", "rate_unit", "holes"};
}

}  // namespace harness
