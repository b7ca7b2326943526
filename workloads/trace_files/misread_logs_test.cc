// Logs that would be read as another quantity: rates as counts, ends or times as arrivals or counts, local
// times as UTC, one column for another.
#include "workloads/trace_files/test_plain_log.h"

namespace harness {
namespace {

class MisreadLogs : public testing::TestWithParam<PlainLog> {};

TEST_P(MisreadLogs, AreRefusedOrReadAsWhatTheySay) { check_log(GetParam()); }

PlainLog no_log(const char* name, const std::string& text, const std::string& message,
                const std::string& settings = "") {
  return {name, text, settings, "", {}, 0, message};
}

const std::string kFunctions = "day,time,0,1,2\n0,0,5,,1\n0,60,7,,2\n0,120,3,3,0\n";

INSTANTIATE_TEST_SUITE_P(
    Columns, MisreadLogs,
    testing::Values(
        no_log("number_and_name", kFunctions,
               "column: found '2', which fits columns 2 (time), 5 (2); allowed: \"5\"",
               "column=2 time_column=time time_unit=s"),
        PlainLog{"position",
                 kFunctions,
                 "column=5 time_column=time time_unit=s",
                 "counts",
                 {1, 2, 0},
                 60,
                 "column '2'"},
        PlainLog{"name_that_is_no_position",
                 kFunctions,
                 "column=0 time_column=time time_unit=s",
                 "counts",
                 {5, 7, 3},
                 60,
                 "column '0'"},
        no_log("positions_that_are_names_too", "time_s,3,2,x\n0,1,2,3\n60,1,2,3\n",
               "'3', which fits columns 2 (3), 3 (2); allowed: a name in the header that no other column has",
               "column=3"),
        PlainLog{
            "name_at_its_position", "time_s,2\n0,7\n60,8\n", "column=2", "counts", {7, 8}, 60, "column '2'"},
        no_log("name_twice", "time_s,a,a\n0,1,2\n60,1,2\n",
               "'a', which fits columns 2 (a), 3 (a); allowed: one of 2, 3", "column=a"),
        no_log("time_twice", "t_s,t_s,m\n0,1,a\n",
               "'t_s', which fits columns 1 (t_s), 2 (t_s); allowed: one of 1, 2", "time_column=t_s"),
        no_log("requests_twice", "time_s,requests,requests\n0,1,2\n60,1,2\n",
               "2 columns of counts; allowed: column = one of 2, 3"),
        no_log("time_number_and_name", "2,time_s,n\n0,5,2\n",
               "time_column: found '2', which fits columns 1 (2), 2 (time_s); allowed: one of 1, time_s",
               "time_column=2")),
    [](const auto& each) { return std::string(each.param.name); });

const std::string kBelowOnes =
    "without an offset from UTC below dates with one; allowed: an offset (+02:00, Z)";

INSTANTIATE_TEST_SUITE_P(
    Offsets, MisreadLogs,
    testing::Values(
        no_log("missing", "timestamp,m\n2024-05-01T10:00:00+02:00,a\n2024-05-01 10:00:02,b\n",
               "t.csv:3: timestamp: found '2024-05-01 10:00:02' " + kBelowOnes),
        no_log("missing_said", "timestamp,m\n2024-05-01T10:00:00Z,a\n2024-05-01 10:00:02,b\n", kBelowOnes,
               "format=times"),
        no_log("added", "2024-05-01 10:00:00\n2024-05-01 10:00:02 UTC\n",
               "t.csv:2: column 1: found '2024-05-01 10:00:02 UTC' with an offset from UTC below dates "
               "without one"),
        no_log("of_bins", "time,n\n2024-05-01 10:00Z,1\n2024-05-01 10:01,2\n", "t.csv:3: time: found"),
        no_log("of_bins_without_names", "2024-05-01 10:00Z,1\n2024-05-01 10:01,2\n", kBelowOnes, "column=2"),
        no_log("of_web_servers",
               "a - [10/Oct/2023:13:55:36 -0700] \"GET /a\" 2\nb - [10/Oct/2023:13:55:39] \"GET /b\" 5\n",
               kBelowOnes),
        no_log("in_lines_of_words", "2024-05-01T10:00:00+0200 a: x\n2024-05-01T10:00:03 a: y\n", kBelowOnes),
        no_log("in_two_columns", "date,time,m\n2024-05-01,10:00:00Z,a\n2024-05-01,10:00:03,b\n", kBelowOnes),
        no_log("beside_compact_dates", "time,m\n2024-05-01T10:00:00Z,a\n20240501100003,b\n", kBelowOnes),
        no_log("beside_dates_alone", "time,m\n2024-05-01T10:00:00Z,a\n2024-05-02,b\n", kBelowOnes),
        no_log("published",
               "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-01 10:00:00,1,2\n2024-05-01 "
               "10:00:01+00:00,1,2\n",
               "t.csv:3: TIMESTAMP: found '2024-05-01 10:00:01+00:00' with an offset"),
        no_log("published_columns_twice", "TIMESTAMP,ContextTokens,GeneratedTokens,ContextTokens\n",
               "each once"),
        no_log("published_keys_twice",
               "{\"timestamp\": 5, \"input_length\": 1, \"output_length\": 2, \"timestamp\": 6}\n",
               "\"timestamp\" twice"),
        PlainLog{"of_several_zones",
                 "time,m\n2024-05-01T10:00:00+02:00,a\n2024-05-01T08:00:03Z,b\n",
                 "",
                 "times",
                 {0, 3},
                 1,
                 "'time'"}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace harness
