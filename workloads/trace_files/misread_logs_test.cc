// Logs that would be read as another quantity: rates as counts, ends or times as arrivals or counts, local
// times as UTC, one column for another.
#include "workloads/trace_files/test_plain_log.h"

namespace harness {
namespace {

class MisreadLogs : public testing::TestWithParam<PlainLog> {};

TEST_P(MisreadLogs, AreRefusedOrReadAsWhatTheySay) { check_log(GetParam()); }

/// Three minutes of 60, 90 and 30.
std::string three(const std::string& column) {
  return "time," + column + "\n2024-05-01 10:00:00,60\n2024-05-01 10:01:00,90\n2024-05-01 10:02:00,30\n";
}

PlainLog rate_of(const char* name, const std::string& column, const std::vector<double>& values,
                 const std::string& settings = "") {
  return {name, three(column), settings, "counts", values, 60, "requests per "};
}

const std::string kRate = "rate(http_requests_total[5m])";
const std::string kNoCount = "found by its name neither requests of a bin nor a rate of them in column '";
const std::string kByName = "in a column named for it (requests, rps, \"requests per minute\")";
const std::vector<double> kPerSecond = {3600, 5400, 1800};  // 180 s at 60/s on average: 10,800

INSTANTIATE_TEST_SUITE_P(
    Rates, MisreadLogs,
    testing::Values(
        rate_of("throughput", "Throughput (req/s)", kPerSecond),
        rate_of("throughput_by_name", "Throughput (req/s)", kPerSecond, "format=counts"),
        rate_of("of_a_counter", kRate, kPerSecond),
        rate_of("of_a_counter_as_counts", kRate, kPerSecond, "format=counts"),
        rate_of("of_a_counter_chosen", kRate, kPerSecond, "column=2"),
        rate_of("per_minute", "rpm", {60, 90, 30}), rate_of("per_hour", "requests per hour", {1, 1.5, 0.5}),
        refused(
            "rate_as_counter", three(kRate),
            "column: found a rate, which is no counter, in column 'rate(http_requests_total[5m])'; allowed: "
            "format = \"counts\"",
            "format=counter"),
        refused("rps_as_counter", three("total_rps"), "no counter", "format=counter column=total_rps"),
        refused("thousands", three("krps"),
                "times beside krps, by name neither requests of a bin nor a rate of them"),
        refused("thousands_chosen", three("krps"),
                kNoCount + "krps'; allowed: requests of a bin or a rate " + kByName, "column=krps"),
        refused("thousands_as_counts", three("requests(k)"), kNoCount, "format=counts"),
        refused("thousands_as_a_counter", three("requests(k)"), kNoCount, "format=counter"),
        refused("gauge", three("active_requests"), kByName),
        refused("gauge_chosen", three("users"), kNoCount, "column=users"),
        refused("mean", three("avg_requests"), kNoCount, "column=2"),
        refused("bytes", three("request_bytes"), kNoCount, "column=request_bytes"),
        refused("latency", three("latency_ms"), kNoCount, "column=2"),
        refused("uneven_rates", "time,tps\n2024-05-01 10:00:00,60\n2024-05-01 10:00:59,90\n", kByName),
        refused("rates_without_times", "krps\n60\n90\n", kByName),
        refused("state_in_a_log", "arrival_s,model,active_requests\n0.5,a,3\n0.75,b,4\n", kByName),
        PlainLog{"state_in_a_log_read",
                 "arrival_s,model,active_requests\n0.5,a,3\n0.75,b,4\n",
                 "format=times",
                 "times",
                 {0.5, 0.75},
                 1,
                 "'arrival_s'"},
        PlainLog{"duration_in_a_log",
                 "arrival_s,ttft_ms\n0.5,3\n0.75,4\n",
                 "",
                 "times",
                 {0.5, 0.75},
                 1,
                 "'arrival_s'"},
        PlainLog{"counts_beside_others",
                 "time,requests,error_rate,p99_ms\n2024-05-01 10:00,5,0.1,7\n2024-05-01 10:01,6,0,8\n",
                 "",
                 "counts",
                 {5, 6},
                 60,
                 "'requests'"},
        PlainLog{"speed_in_a_log",
                 "arrival_s,output_throughput\n0.5,31.5\n0.75,29\n",
                 "",
                 "times",
                 {0.5, 0.75},
                 1,
                 "'arrival_s'"},
        // Numbers with fractions count nothing, unless a name says so.
        refused("rates_without_names", "0,1.33,8.6,a\n600,0,0,\n1200,0.27,6.0,b\n",
                "column: found '1.33' in column 2, which may be a rate; allowed: whole numbers, or in the "
                "file's first line a name",
                "column=2 time_column=1 time_unit=s"),
        PlainLog{"rates_with_names",
                 "time_s,rps,cv,shape\n0,1.33,8.6,a\n600,0,0,\n1200,0.27,6.0,b\n",
                 "",
                 "counts",
                 {798, 0, 162},
                 600,
                 "requests per s in column 'rps'"},
        refused("fractions_of_a_counter", three("value") + "2024-05-01 10:03:00,30.5\n",
                "'30.5' in column 'value'", "format=counter"),
        refused("fractions_alone", "0.5\n1.5\n0.25\n", "'0.5' in the column, which may be a rate",
                "format=counts bin_s=1"),
        PlainLog{"fractions_by_name",
                 "requests\n0.5\n1.5\n0.25\n",
                 "bin_s=1",
                 "counts",
                 {0.5, 1.5, 0.25},
                 1,
                 "'requests'"},
        PlainLog{"whole_numbers_with_points",
                 three("value") + "2024-05-01 10:03:00,30.0\n",
                 "column=value",
                 "counts",
                 {60, 90, 30, 30},
                 60,
                 "'value'"}),
    [](const auto& each) { return std::string(each.param.name); });

const std::string kFunctions = "day,time,0,1,2\n0,0,5,,1\n0,60,7,,2\n0,120,3,3,0\n";

INSTANTIATE_TEST_SUITE_P(
    Columns, MisreadLogs,
    testing::Values(
        refused("number_and_name", kFunctions,
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
        refused(
            "positions_that_are_names_too", "time_s,3,2,x\n0,1,2,3\n60,1,2,3\n",
            "'3', which fits columns 2 (3), 3 (2); allowed: a name in the header that no other column has",
            "column=3"),
        PlainLog{
            "name_at_its_position", "time_s,2\n0,7\n60,8\n", "column=2", "counts", {7, 8}, 60, "column '2'"},
        refused("name_twice", "time_s,a,a\n0,1,2\n60,1,2\n",
                "'a', which fits columns 2 (a), 3 (a); allowed: one of 2, 3", "column=a"),
        refused("time_twice", "t_s,t_s,m\n0,1,a\n",
                "'t_s', which fits columns 1 (t_s), 2 (t_s); allowed: one of 1, 2", "time_column=t_s"),
        refused("requests_twice", "time_s,requests,requests\n0,1,2\n60,1,2\n",
                "2 columns of counts; allowed: column = one of 2, 3"),
        refused("time_number_and_name", "2,time_s,n\n0,5,2\n",
                "time_column: found '2', which fits columns 1 (2), 2 (time_s); allowed: one of 1, time_s",
                "time_column=2"),
        // The times are no counts, whoever says so.
        refused("times_chosen", kFunctions, "column: found times in column 'time'",
                "column=time time_unit=s"),
        refused("times_chosen_twice", "a,b\n0,5\n60,6\n", "found times in column 'a'",
                "column=a time_column=a time_unit=s"),
        refused("counts_chosen_as_times", "requests\n0\n60\n", "found times in column 'requests'",
                "format=counts time_column=requests bin_s=60"),
        refused("times_by_position", "time,n\n5,1\n5,2\n", "found times in column 'time'",
                "column=1 bin_s=1"),
        refused("times_as_a_counter", "time_s,n\n5,1\n6,2\n", "found times in column 'time_s'",
                "format=counter column=1"),
        refused("times_beside_times", "time_s,start_s,n\n5,1,2\n6,2,2\n", "found times in column 'start_s'",
                "column=start_s"),
        refused("gaps_chosen", "time_s,gap_ms\n5,1\n6,2\n", "found times in column 'gap_ms'", "column=2"),
        refused("ends_chosen", "n,end_timestamp\n5,1714557600\n6,1714557660\n", kNoCount, "column=2"),
        refused("since_1970", "x,y\n1714557600,7\n1714557660,8\n", "found times in column 'x'",
                "column=x bin_s=60"),
        refused("even_without_names", "0,5\n60,7\n120,4\n",
                "numbers that rise by 60 in column 1, as times do", "column=1 bin_s=60"),
        refused("even_counter_without_names", "0,5\n60,7\n120,4\n", "rise by 60 in column 1",
                "format=counter column=1 bin_s=60"),
        PlainLog{"ramp_before_times",
                 "10,0\n20,60\n30,120\n",
                 "column=1 time_column=2 time_unit=s",
                 "counts",
                 {10, 20, 30},
                 60,
                 "column 1"}),
    [](const auto& each) { return std::string(each.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Contradictions, MisreadLogs,
    testing::Values(
        refused("unit", "arrival_ms,m\n5,a\n7,b\n",
                "time_unit: found s for column 'arrival_ms', whose name says ms; allowed: no such key",
                "time_unit=s"),
        refused("unit_of_gaps", "gap_ms\n5\n7\n", "found s for column 'gap_ms'", "time_unit=s"),
        PlainLog{"same_unit", "arrival_ms,m\n5,a\n7,b\n", "time_unit=ms", "times", {0.005, 0.007}, 1, "(ms)"},
        PlainLog{"unit_by_size",
                 "time_s,m\n1714557600005,a\n1714557600007,b\n",
                 "time_unit=ms",
                 "times",
                 {0, 0.002},
                 1,
                 "'time_s'"},
        refused("counts_as_times", "requests\n5\n7\n",
                "time_column: found numbers of requests in column 'requests'; allowed: times",
                "format=times"),
        refused("rates_as_times", "rps,m\n5,a\n7,b\n", "found numbers of requests in column 'rps'",
                "format=times time_column=rps"),
        PlainLog{"arrivals_as_times",
                 "arrivals\n0.5\n7\n",
                 "format=times time_unit=s",
                 "times",
                 {0.5, 7},
                 1,
                 "(s)"},
        PlainLog{"seconds_of_minutes",
                 "minute,n\n0,7\n60,8\n",
                 "time_unit=s",
                 "counts",
                 {7, 8},
                 60,
                 "bins of 60 s"},
        refused("counts_as_gaps", "count\n5\n7\n", "found numbers of requests", "format=gaps"),
        refused("gaps_as_times", "gap_s\n5\n7\n",
                "format: found gaps in column 'gap_s'; allowed: format = "
                "\"gaps\"",
                "format=times"),
        // A name that says nothing is no count until somebody says so.
        refused("short_names", three("lat"), kByName), refused("other_names", three("temperature"), kByName),
        refused("failures", three("requests_failed"), kByName),
        refused("statuses", three("count_5xx"), kByName),
        refused("one_status", three("requests_503"), kByName)),
    [](const auto& each) { return std::string(each.param.name); });

const std::string kInvocations = "app,end_timestamp,duration\na,10.25,8\nb,11,0.5\n";

INSTANTIATE_TEST_SUITE_P(
    Ends, MisreadLogs,
    testing::Values(
        refused(
            "chosen", kInvocations,
            "time_column: found ends of requests in column 'end_timestamp'; allowed: a column of arrivals: "
            "end_timestamp less duration",
            "time_column=end_timestamp time_unit=s"),
        refused("chosen_by_position", kInvocations, "found ends of requests", "time_column=2 time_unit=s"),
        refused("found_dates", "stop_time,latency_ms,m\n2024-05-01 10:00:00.5,3,a\n2024-05-01 10:00:01,7,b\n",
                "stop_time less latency_ms"),
        refused("beside_starts", "start_s,end_s,m\n0,1,a\n2,2,b\n", "allowed: time_column = \"start_s\"",
                "time_column=end_s"),
        PlainLog{"starts",
                 "start_s,end_s,m\n0,1,a\n2,2,b\n",
                 "time_column=start_s",
                 "times",
                 {0, 2},
                 1,
                 "'start_s'"},
        refused("alone", "finished_at,m\n2024-05-01 10:00:00,a\n2024-05-01 10:00:01,b\n",
                "allowed: the times at which requests arrived", "time_column=finished_at"),
        refused("response_times", "request_id,response_time,latency_ms\n1,5,3\n", "found ends of requests",
                "time_column=response_time time_unit=s format=times"),
        PlainLog{"of_bins",
                 "window_end,requests\n2024-05-01 10:01,5\n2024-05-01 10:02,6\n",
                 "",
                 "counts",
                 {5, 6},
                 60,
                 "'requests'"}),
    [](const auto& each) { return std::string(each.param.name); });

const std::string kBelowOnes =
    "without an offset from UTC below dates with one; allowed: an offset (+02:00, Z)";

INSTANTIATE_TEST_SUITE_P(
    Offsets, MisreadLogs,
    testing::Values(
        refused("missing", "timestamp,m\n2024-05-01T10:00:00+02:00,a\n2024-05-01 10:00:02,b\n",
                "t.csv:3: timestamp: found '2024-05-01 10:00:02' " + kBelowOnes),
        refused("missing_said", "timestamp,m\n2024-05-01T10:00:00Z,a\n2024-05-01 10:00:02,b\n", kBelowOnes,
                "format=times"),
        refused("added", "2024-05-01 10:00:00\n2024-05-01 10:00:02 UTC\n",
                "t.csv:2: column 1: found '2024-05-01 10:00:02 UTC' with an offset from UTC below dates "
                "without one"),
        refused("of_bins", "time,n\n2024-05-01 10:00Z,1\n2024-05-01 10:01,2\n", "t.csv:3: time: found"),
        refused("of_bins_without_names", "2024-05-01 10:00Z,1\n2024-05-01 10:01,2\n", kBelowOnes, "column=2"),
        refused("of_web_servers",
                "a - [10/Oct/2023:13:55:36 -0700] \"GET /a\" 2\nb - [10/Oct/2023:13:55:39] \"GET /b\" 5\n",
                kBelowOnes),
        refused("in_lines_of_words", "2024-05-01T10:00:00+0200 a: x\n2024-05-01T10:00:03 a: y\n", kBelowOnes),
        refused("in_two_columns", "date,time,m\n2024-05-01,10:00:00Z,a\n2024-05-01,10:00:03,b\n", kBelowOnes),
        refused("beside_compact_dates", "time,m\n2024-05-01T10:00:00Z,a\n20240501100003,b\n", kBelowOnes),
        refused("beside_dates_alone", "time,m\n2024-05-01T10:00:00Z,a\n2024-05-02,b\n", kBelowOnes),
        refused("published",
                "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-01 10:00:00,1,2\n2024-05-01 "
                "10:00:01+00:00,1,2\n",
                "t.csv:3: TIMESTAMP: found '2024-05-01 10:00:01+00:00' with an offset"),
        refused("published_columns_twice", "TIMESTAMP,ContextTokens,GeneratedTokens,ContextTokens\n",
                "each once"),
        refused("published_keys_twice",
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
