// Logs and counts as users bring them: what each is read as, or the option that helps.
#include "workloads/trace_files/plain_trace.h"

#include <gtest/gtest.h>

#include "harness/core/error.h"
#include "harness/core/params.h"
#include "harness/core/test_refusal.h"
#include "workloads/files/file_bytes.h"

namespace harness {
namespace {

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

TraceSpec with_settings(const std::string& settings) {
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

class PlainLogs : public testing::TestWithParam<PlainLog> {};

TEST_P(PlainLogs, AreReadRightlyOrRefusedWithTheOptionThatHelps) {
  const PlainLog& log = GetParam();
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

/// Four minutes with these columns.
std::string stamped(const std::string& columns) {
  std::string text;
  for (const char* minute : {"0", "1", "2", "3"})
    text += std::string("2024-05-01 10:0") + minute + "," + columns + "\n";
  return text;
}

const std::string kMinutes = "2024-05-01 10:00:00,3\n2024-05-01 10:01:00,5\n2024-05-01 10:02:00,4\n";

INSTANTIATE_TEST_SUITE_P(
    All, PlainLogs,
    testing::Values(
        // Logs: each line a request.
        PlainLog{"gateway",
                 "timestamp,model,latency_ms\n2024-05-01T10:00:00.5Z,a,31\n2024-05-01T10:00:02Z,b,7\n",
                 "",
                 "times",
                 {0, 1.5},
                 1,
                 "times in column 'timestamp' (dates, from the first on)"},
        PlainLog{"tokens",
                 "arrival_s,model,tokens\n0.25,a,100\n0.5,b,2000\n",
                 "",
                 "times",
                 {0.25, 0.5},
                 1,
                 "column 'arrival_s' (s)"},
        PlainLog{"milliseconds",
                 "Arrival Time (ms);user id\n1500;7\n2500;8\n",
                 "",
                 "times",
                 {1.5, 2.5},
                 1,
                 "(ms)"},
        PlainLog{"epoch_ms",
                 "ts\tstatus\n1714557600123\t200\n1714557601123\t500\n",
                 "",
                 "times",
                 {0, 1},
                 1,
                 "(ms, from the first on)"},
        PlainLog{"epoch_ns", "1714557600123456789\n1714557600123456790\n", "", "times", {0, 1e-9}, 1, "(ns"},
        PlainLog{"epoch_us",
                 "time,id\n1714557600123456,1\n1714557600123457,2\n",
                 "",
                 "times",
                 {0, 1e-6},
                 1,
                 "(us"},
        PlainLog{"epoch_s", "1714557600.25\n1714557601.5\n", "", "times", {0, 1.25}, 1, "(s, from"},
        PlainLog{"zone",
                 "started_at,ip\n2024-05-01 10:00:00+02:00,x\n2024-05-01 08:00:01 UTC,y\n",
                 "",
                 "times",
                 {0, 1},
                 1,
                 "dates"},
        PlainLog{"unsorted",
                 "start_s,model\n3,a\n1,b\n2,c\n",
                 "",
                 "times",
                 {1, 2, 3},
                 1,
                 "sorted (1 came before the one above); 3 requests over 3 s, longest gap 1 s"},
        PlainLog{"without_header",
                 "2024-05-01 10:00:00,GET,/a\n2024-05-01 10:00:09,GET,/b\n",
                 "",
                 "times",
                 {0, 9},
                 1,
                 "column 1"},
        PlainLog{"without_unit",
                 "timestamp,model\n0,a\n3053,b\n",
                 "",
                 "",
                 {},
                 0,
                 "time_unit: found times without a unit in column 'timestamp'; allowed: time_unit = \"s\""},
        PlainLog{
            "with_unit", "timestamp,model\n0,a\n3053,b\n", "time_unit=ms", "times", {0, 3.053}, 1, "(ms)"},
        PlainLog{"two_times",
                 "arrival_s,start_s,model\n0,1,a\n",
                 "",
                 "",
                 {},
                 0,
                 "time_column = one of arrival_s, start_s"},
        PlainLog{"chosen_time",
                 "arrival_s,start_s,model\n0,1,a\n2,2,a\n",
                 "time_column=start_s",
                 "times",
                 {1, 2},
                 1,
                 "'start_s'"},
        PlainLog{"chosen_odd_name",
                 "when it came,x\n0.5,1\n2,2\n",
                 "time_column=1 time_unit=s format=times",
                 "times",
                 {0.5, 2},
                 1,
                 "'when it came'"},
        PlainLog{"request_time",
                 "request_time,status\n0.031,200\n0.007,200\n",
                 "",
                 "",
                 {},
                 0,
                 "no column of times, gaps or counts among request_time, status"},
        PlainLog{"times_beside_numbers",
                 "time_s,value\n0,3\n1,5\n",
                 "",
                 "",
                 {},
                 0,
                 "column = \"value\" (requests of a bin), or format = \"times\""},
        PlainLog{"send_times", "# time_unit = s\n1\n2\n", "", "times", {1, 2}, 1, "the column (s)"},
        PlainLog{"fractions_that_rise", "0.5\n1\n2.25\n", "", "times", {0.5, 1, 2.25}, 1, "(s)"},
        // Counts: each line a bin.
        PlainLog{"minutes",
                 "timestamp,requests\n" + kMinutes,
                 "",
                 "counts",
                 {3, 5, 4},
                 60,
                 "counts in column 'requests', bins of 60 s by column 'timestamp'; 12 requests over 180 s, 0 "
                 "of 3"},
        PlainLog{"five_minutes",
                 "time,count\n1714557600,30\n1714557900,0\n1714558200,31\n",
                 "",
                 "counts",
                 {30, 0, 31},
                 300,
                 "bins of 300 s by column 'time'; 61 requests over 900 s, 1 of 3 bins empty"},
        PlainLog{"minute_numbers", "minute,n\n0,7\n1,8\n", "", "counts", {7, 8}, 60, "by column 'minute'"},
        PlainLog{"requests_length",
                 "Time,Requests,Requests Length\n2024-05-01,5,900\n2024-05-02,6,800\n",
                 "",
                 "counts",
                 {5, 6},
                 86400,
                 "column 'Requests'"},
        PlainLog{"rate",
                 "time_s,rps\n0,1.5\n10,2\n",
                 "",
                 "counts",
                 {15, 20},
                 10,
                 "requests per s in column 'rps'"},
        PlainLog{"per_minute",
                 "date,requests_per_minute\n" + kMinutes,
                 "",
                 "counts",
                 {3, 5, 4},
                 60,
                 "requests per minute in"},
        PlainLog{"other_bin",
                 "timestamp,requests\n" + kMinutes,
                 "bin_s=1",
                 "",
                 {},
                 0,
                 "bin_s: found 1 beside rows that are 60 s apart in column 'timestamp'"},
        PlainLog{"left_out",
                 "timestamp,requests\n2024-05-01 10:00,1\n2024-05-01 10:01,1\n2024-05-01 10:03,1\n",
                 "",
                 "",
                 {},
                 0,
                 "where no request came, the count 0"},
        PlainLog{
            "no_bin", "count\n5\n6\n", "", "", {}, 0, "bin_s: found counts without the length of their bins"},
        PlainLog{"bin_said", "count\n5\n6\n", "bin_s=2", "counts", {5, 6}, 2, "bins of 2 s;"},
        PlainLog{"index_without_unit", "bin,count\n0,5\n1,6\n", "", "", {}, 0, "bin_s: found bins 1 apart"},
        PlainLog{"rising", "1\n2\n3\n", "", "", {}, 0, "format = \"times\" (each line a request"},
        PlainLog{"rising_counts",
                 "1\n2\n3\n",
                 "format=counts bin_s=1",
                 "counts",
                 {1, 2, 3},
                 1,
                 "counts in the column"},
        PlainLog{"whole_and_falling", "4\n12\n7\n", "bin_s=60", "counts", {4, 12, 7}, 60, "bins of 60 s"},
        PlainLog{"row_of_counts", "1 2 3 4 5\n", "", "", {}, 0, "one bin a line"},
        PlainLog{"no_names", "1,2,3\n4,5,6\n", "", "", {}, 0, "column = N"},
        // What was misread once: values that are no bare numbers, names that hide counts, totals, indices.
        PlainLog{"values_with_units",
                 "\"Time\",\"Value\"\n" + stamped("\"7.0 req/s\""),
                 "",
                 "",
                 {},
                 0,
                 "column = \"Value\""},
        PlainLog{
            "thousands", "\"Time\",\"Value\"\n" + stamped("\"1,007\""), "", "", {}, 0, "column = \"Value\""},
        PlainLog{"empty_values", "Time,Value\n" + stamped(""), "", "", {}, 0, "column = \"Value\""},
        PlainLog{"completed_requests",
                 "timestamp,completed_requests\n" + stamped("7"),
                 "",
                 "",
                 {},
                 0,
                 "column = \"completed_requests\""},
        PlainLog{"status_columns",
                 "timestamp,status_200,status_500\n" + stamped("7,1"),
                 "",
                 "",
                 {},
                 0,
                 "equally far apart beside numbers alone"},
        PlainLog{"by_service", "timestamp,service a\n" + stamped("7"), "", "", {}, 0, "equally far apart"},
        PlainLog{"counter",
                 "timestamp,requests_total\n2024-05-01 10:00,10000\n2024-05-01 10:01,10007\n"
                 "2024-05-01 10:02,10009\n2024-05-01 10:03,10020\n",
                 "column=requests_total",
                 "",
                 {},
                 0,
                 "a total that never falls"},
        PlainLog{"row_numbers",
                 "n,arrival_s\n0,0.5\n1,2\n2,2.5\n3,7\n",
                 "bin_s=1",
                 "",
                 {},
                 0,
                 "row for every bin"},
        PlainLog{"row_numbers_even",
                 "n,arrival_s\n0,0\n1,1\n2,2\n3,3\n",
                 "",
                 "",
                 {},
                 0,
                 "numbers of rows in column 'n'"},
        PlainLog{"request_number",
                 "request_number,arrival_s\n0,0.5\n1,2\n",
                 "",
                 "times",
                 {0.5, 2},
                 1,
                 "'arrival_s'"},
        PlainLog{"requests_min",
                 "time,requests_min,requests_max\n" + stamped("1,9"),
                 "",
                 "",
                 {},
                 0,
                 "beside requests_min, requests_max"},
        PlainLog{"durations",
                 "method,time_ms\nGET,12\nGET,19\nPOST,13\nGET,40\nGET,11\n",
                 "",
                 "",
                 {},
                 0,
                 "numbers that rise and fall in column 'time_ms'"},
        PlainLog{"minute_since_1970",
                 "minute,requests\n1714557600,5\n1714557660,6\n",
                 "",
                 "counts",
                 {5, 6},
                 60,
                 "bins of 60 s by column 'minute'"},
        PlainLog{"unit_and_size",
                 "time_ms,model\n1714557600,a\n1714557660,b\n",
                 "",
                 "",
                 {},
                 0,
                 "time_unit: found numbers since 1970 in s"},
        PlainLog{"compact_dates",
                 "timestamp,requests\n2024010500,5\n2024010501,6\n",
                 "",
                 "counts",
                 {5, 6},
                 3600,
                 "3600 s"},
        PlainLog{"date_and_time",
                 "date,time,model\n2024-05-01,10:00:01,a\n2024-05-01,10:00:03,b\n",
                 "",
                 "times",
                 {0, 2},
                 1,
                 "'date time'"},
        PlainLog{"blank_between",
                 "2024-05-01 10:00:01 GET\n2024-05-01 10:00:09 GET\n",
                 "",
                 "times",
                 {0, 8},
                 1,
                 "column 1"},
        PlainLog{"dates_alone",
                 "date,model\n2024-05-01,a\n2024-05-01,b\n",
                 "",
                 "",
                 {},
                 0,
                 "dates without a time of day"},
        PlainLog{"two_rates",
                 "time,read_rps,write_rps\n" + stamped("1,2"),
                 "column=read_rps,write_rps",
                 "counts",
                 {180, 180, 180, 180},
                 60,
                 "requests per s"},
        PlainLog{"twice", "time,n\n" + stamped("1"), "column=n,n", "", {}, 0, "'n' twice"},
        PlainLog{"odd_name_of_times",
                 "window_start,requests\n2024-05-01 10:00,5\n2024-05-01 10:10,6\n",
                 "bin_s=60",
                 "",
                 {},
                 0,
                 "bin_s: found 60 beside rows that are 600 s apart in column 'window_start'"},
        PlainLog{"gap_without_header",
                 "2024-05-01 10:00,1\n2024-05-01 10:01,1\n2024-05-01 10:05,1\n2024-05-01 10:09,1\n",
                 "column=2 bin_s=60",
                 "",
                 {},
                 0,
                 "where no request came, the count 0"},
        PlainLog{"other_dates",
                 "timestamp,requests\n1/5/24 10:00,5\n1/5/24 10:01,6\n",
                 "bin_s=60",
                 "",
                 {},
                 0,
                 "timestamp: found '1/5/24 10:00'; allowed: a date and time (ISO 8601)"},
        PlainLog{"other_dates_of_requests",
                 "timestamp,model\n1/5/24 10:00,a\n1/5/24 10:01,b\n",
                 "",
                 "",
                 {},
                 0,
                 "timestamp: found '1/5/24 10:00'; allowed: a date and time (ISO 8601)"},
        PlainLog{"total_row",
                 "time,requests\n" + stamped("5") + "Total,20\n",
                 "",
                 "",
                 {},
                 0,
                 "time: found 'Total'"},
        PlainLog{"empty_line", "# bin_s = 1\ncount\n5\n\n6\n", "", "", {}, 0, "an empty line above"},
        PlainLog{"name_above_dates",
                 "timestamp,0\n" + stamped("5"),
                 "column=2",
                 "counts",
                 {5, 5, 5, 5},
                 60,
                 "by column 'timestamp'"},
        PlainLog{"access_log",
                 "time,request,status\n2024-05-01 10:00:00,GET /a,200\n2024-05-01 10:00:07,GET /b,200\n",
                 "",
                 "times",
                 {0, 7},
                 1,
                 "'time'"},
        PlainLog{"quotes_in_quotes",
                 "time,note,model\n2024-05-01 10:00:00,\"a \"\"b\"\", c\",m\n",
                 "",
                 "times",
                 {0},
                 1,
                 "'time'"},
        PlainLog{
            "name_with_blanks", "arrival time (s)\n0.5\n1\n", "", "times", {0.5, 1}, 1, "'arrival time (s)'"},
        PlainLog{"pandas_index",
                 ",timestamp,model\n0,2024-05-01 10:00:00,a\n1,2024-05-01 10:00:03,b\n",
                 "",
                 "times",
                 {0, 3},
                 1,
                 "'timestamp'"},
        PlainLog{"late_clock",
                 "arrival_s,model\n345678.5,a\n345679,b\n",
                 "",
                 "times",
                 {345678.5, 345679},
                 1,
                 "the first at 345678.5 s"},
        PlainLog{"seconds_as_json",
                 "{\"timestamp\": 0.072, \"input_length\": 5, \"output_length\": 6}\n",
                 "",
                 "",
                 {},
                 0,
                 "whole milliseconds"},
        PlainLog{"no_such_day",
                 "time,requests\n2024-02-30 10:00,5\n2024-03-01 10:00,6\n",
                 "",
                 "",
                 {},
                 0,
                 "time: found '2024-02-30"},
        PlainLog{"chosen_without_names",
                 "GET,0.5\nPUT,0.75\n",
                 "time_column=2",
                 "times",
                 {0.5, 0.75},
                 1,
                 "column 2 (s)"},
        PlainLog{"counter_said_to_count",
                 "timestamp,requests_total\n2024-05-01 10:00,1\n2024-05-01 10:01,2\n"
                 "2024-05-01 10:02,4\n2024-05-01 10:03,5\n",
                 "format=counts column=requests_total",
                 "counts",
                 {1, 2, 4, 5},
                 60,
                 "bins of 60 s"},
        PlainLog{"beyond_nanoseconds", "time,model\n9999999999,a\n", "", "", {}, 0, "times without a unit"},
        PlainLog{"beyond_later", "1714557600.5\n9999999999.5\n", "", "", {}, 0, "from 0 to 9e+09"},
        // Gaps.
        PlainLog{"gaps", "0.5\n0.25\n1\n", "", "", {}, 0, "format = \"gaps\""},
        PlainLog{"gaps_said",
                 "0.5\n0.25\n1\n",
                 "format=gaps",
                 "gaps",
                 {0.5, 0.75, 1.75},
                 1,
                 "gaps in the column (s)"},
        PlainLog{"gaps_named", "id,inter_arrival_ms\n1,500\n2,250\n", "", "gaps", {0.5, 0.75}, 1, "(ms)"},
        // Neither.
        PlainLog{"separators", "time;value,1\n0;2,5\n", "", "", {}, 0, "commas, semicolons or tabs together"},
        PlainLog{"no_times", "model,tokens\na,1\n", "", "", {}, 0, "time_column = NAME"}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace harness
