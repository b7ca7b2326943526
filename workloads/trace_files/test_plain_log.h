// Logs as users bring them, read or refused.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/params.h"
#include "harness/core/test_refusal.h"
#include "workloads/files/file_bytes.h"
#include "workloads/trace_files/trace_import.h"

namespace harness {

/// A log that a user may bring, and what is made of it: "times" or "counts" with values, or part of the
/// message that refuses it.
struct PlainLog {
  const char* name;
  std::string text;
  std::string settings;        ///< KEY=VALUE, separated by blanks
  std::string format;          ///< empty: refused
  std::vector<double> values;  ///< seconds, or requests in a bin
  double bin_s;
  std::string message;  ///< part of the reading, or of the refusal
};

inline PlainLog refused(const char* name, const std::string& text, const std::string& message,
                        const std::string& settings = "") {
  return {name, text, settings, "", {}, 0, message};
}

inline TraceSpec with_settings(const std::string& settings) {
  TraceSpec spec;
  spec.shape = "file";
  std::vector<std::string_view> words;
  if (!settings.empty()) split_fields(settings, words, ' ');
  for (const std::string_view word : words) {
    const std::string key(word.substr(0, word.find('=')));
    const std::string value(word.substr(word.find('=') + 1));
    ParamList params;
    spec.list(params);
    double number = 0;
    if (key == "format") spec.format = value;
    if (key == "column") spec.column = value;
    if (key == "time_column") spec.time_column = value;
    const Param* param = params.find(key);
    if (param == nullptr) continue;
    const bool is_set = param->set(read_number(value, number) ? ParamValue(number) : ParamValue(value));
    EXPECT_TRUE(is_set) << word;
  }
  return spec;
}

/// Read, or refused with the option that helps; plain and gzipped.
inline void check_log(const PlainLog& log) {
  const auto check = [&](const std::string& bytes) {
    TraceData data;
    const std::string refusal =
        refusal_of([&] { data = read_trace("t.csv", bytes, with_settings(log.settings)); });
    if (log.format.empty()) {
      EXPECT_NE(refusal.find(log.message), std::string::npos) << refusal;
      return;
    }
    ASSERT_EQ(refusal, "no error");
    EXPECT_EQ(data.format, log.format);
    EXPECT_NE(described(data).find(log.message), std::string::npos) << described(data);
    std::vector<double> found = data.counts;
    for (const TimeNs time : data.times_ns) found.push_back(ns_to_s(time));
    ASSERT_EQ(found.size(), log.values.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], log.values[i], 1e-9) << i;
    EXPECT_EQ(data.bin_s, log.bin_s);
  };
  check(log.text);
  check(packed(log.text));
}

}  // namespace harness
