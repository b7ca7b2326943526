#include "harness/cli/profile_server.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/printing.h"
#include "harness/cli/profile_report.h"
#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"
#include "harness/core/param_list.h"
#include "harness/core/wording.h"
#include "harness/files/file_bytes.h"
#include "harness/gpu/profiling/latency_fit.h"
#include "harness/gpu/profiling/repeated_times.h"
#include "harness/machine/steady_clock.h"
#include "harness/remote/http_headers.h"
#include "harness/remote/kserve_server.h"
#include "workloads/catalogue/measured_profile.h"

namespace harness {
namespace {

/// Keeps groups of requests under way, so that the server always has another batch to begin. The next group
/// leaves when all of a group has ended.
class ClosedLoop {
 public:
  /// A group of `batch` requests makes a batch on one of the instances. A request that finds one free starts
  /// at once, alone; so the first group follows after `lead_ns`, when each instance is busy with such a
  /// request.
  ClosedLoop(const ModelMetadata& model, HttpRequest request, std::size_t batch, std::size_t instances,
             TimeNs lead_ns)
      : model_(model), request_(std::move(request)), batch_(batch), instances_(instances) {
    for (std::size_t i = 0; i < instances; ++i) send_group(1);
    for (const TimeNs until_ns = steady_ns() + lead_ns; steady_ns() < until_ns;) client_.wait(until_ns);
    send_group(batch);
  }

  /// Waits until each instance has ended two batches; returns the mean time of one. (Where the server begins
  /// a batch before the last requests of its group are there, they come with the next one: two make up for
  /// that.)
  TimeNs next_cycle() {
    TimeNs last_ns = 0;
    while (last_ns == 0) {
      ends_.clear();
      client_.wait(kNever);
      client_.take(ends_);
      for (const HttpEnd& end : ends_) {
        if (const std::string fault = fault_of(model_, end); !fault.empty())
          throw ServerFault(request_.url + ": " + fault);
        if (--missing_[end.tag] > 0) continue;
        if (++groups_ % (kBatches * instances_) == 0) last_ns = end.ended_ns;
        send_group(batch_);
      }
    }
    return std::max<TimeNs>((last_ns - std::exchange(last_ns_, last_ns)) / TimeNs{kBatches}, 1);
  }

  /// Waits until nothing is under way.
  void finish() {
    while (client_.in_flight() > 0) {
      client_.wait(kNever);
      client_.take(ends_);
    }
  }

 private:
  void send_group(std::size_t requests) {
    missing_.push_back(requests);
    for (std::size_t i = 0; i < requests; ++i) client_.start(request_, missing_.size() - 1);
  }

  static constexpr std::size_t kBatches = 2;
  const ModelMetadata& model_;
  HttpRequest request_;
  std::size_t batch_;
  std::size_t instances_;
  HttpClient client_;
  std::vector<std::size_t> missing_;  // ends, by group
  std::vector<HttpEnd> ends_;
  std::size_t groups_ = 0;  // number that have ended
  TimeNs last_ns_ = 0;      // end of the last cycle
};

/// A model of a server, and what is known of the way in which it is served.
struct ServedModel {
  ModelMetadata metadata;
  std::optional<ModelConfig> config;  ///< nothing if the server does not tell
  bool has_statistics = false;

  bool joins_requests() const { return config && config->dynamic_batching; }
  TimeNs delay_ns() const { return joins_requests() ? config->max_queue_delay_us * kNsPerUs : 0; }
  std::size_t instances() const {
    return static_cast<std::size_t>(std::max<std::int64_t>(config ? config->instances : 0, 1));
  }
};

/// The times of requests that have the server for themselves.
struct AloneTimes {
  TimeNs client_ns = 0;   ///< median latency
  TimeNs queue_ns = 0;    ///< mean by the server's statistics; 0 without them
  TimeNs compute_ns = 0;  ///< likewise
};

/// Measures one model.
class ServerProfile {
 public:
  ServerProfile(KserveServer& server, const std::shared_ptr<const HttpHeaders>& headers,
                const ServedModel& model, const ProfileOptions& options)
      : server_(server), headers_(headers), model_(model), options_(options), alone_(time_alone()) {}

  const AloneTimes& alone() const { return alone_; }

  /// Times batches of each size until the median is known. A size that the server does not form is left out,
  /// with a note.
  ModelProfile measure(const std::vector<int>& batches, const RepeatRule& rule) {
    ModelProfile profile;
    profile.model = model_.metadata.name;
    for (const int batch : batches) add_size(profile, batch, rule);
    if (profile.sizes.empty() || profile.sizes.front().batch > 1)
      throw ServerFault(server_.url() + ": " + profile.model + ": no batches of 1 could be measured (" +
                        (profile.notes.empty() ? "" : profile.notes.front()) + ")");
    std::vector<int> sizes;
    std::vector<TimeNs> medians;
    for (const BatchLatency& size : profile.sizes) {
      sizes.push_back(size.batch);
      medians.push_back(size.time.median_ns);
    }
    if (sizes.size() > 2) profile.fit = fit_latency(sizes, medians);
    profile.drift /= static_cast<double>(sizes.size());
    return profile;
  }

 private:
  HttpRequest request_of(int rows) const {
    HttpRequest request =
        infer_request(server_.url(), model_.metadata, rows, options_.free_size, options_.seed);
    request.headers = headers_;
    request.timeout_ms = kTimeoutMs;
    return request;
  }

  AloneTimes time_alone() {
    constexpr int kRequests = 50;
    const HttpRequest request = request_of(1);
    server_.ask(request);  // a server's first answer may take long
    const ModelStatistics before = statistics();
    std::vector<TimeNs> times;
    for (int i = 0; i < kRequests; ++i) {
      const HttpEnd end = server_.ask(request);
      if (const std::string fault = fault_of(model_.metadata, end); !fault.empty())
        throw ServerFault(request.url + ": " + fault);
      times.push_back(end.ended_ns - end.started_ns);
    }
    const ModelStatistics after = statistics();
    const auto mean = [&](ModelStatistics::Sum ModelStatistics::*sum) {
      const std::int64_t count = (after.*sum).count - (before.*sum).count;
      return ((after.*sum).total_ns - (before.*sum).total_ns) / std::max<std::int64_t>(count, 1);
    };
    return {median_of(times), mean(&ModelStatistics::queue), mean(&ModelStatistics::compute)};
  }

  void add_size(ModelProfile& profile, int batch, const RepeatRule& rule) {
    const bool joins = model_.joins_requests();
    const ModelStatistics before = statistics();
    const TimeNs lead_ns = model_.delay_ns() + std::max<TimeNs>(alone_.client_ns - model_.delay_ns(), 0) / 4;
    ClosedLoop loop(model_.metadata, request_of(joins ? 1 : batch),
                    joins ? static_cast<std::size_t>(batch) : 1, model_.instances(), lead_ns);
    const RepeatedTimes times = time_repeatedly(
        1, [&](std::size_t) { return loop.next_cycle(); }, rule, steady_ns);
    loop.finish();
    const ModelStatistics after = statistics();
    const double formed =
        static_cast<double>(after.inference_count - before.inference_count) /
        static_cast<double>(std::max<std::int64_t>(after.execution_count - before.execution_count, 1));
    if (joins && model_.has_statistics && std::abs(formed - batch) > kLargestError * batch + 0.1) {
      profile.notes.push_back("batches of " + std::to_string(batch) + " are left out: the server formed " +
                              text_of(std::round(formed * 10) / 10) + " on average");
      return;
    }
    profile.sizes.push_back({batch, times.summary(0)});
    profile.drift += times.drift();
    if (times.stopped_by != StoppedBy::kNarrow) profile.stopped_by = times.stopped_by;
  }

  ModelStatistics statistics() {
    return model_.has_statistics ? server_.statistics(model_.metadata.name) : ModelStatistics();
  }

  static constexpr double kLargestError = 0.1;  ///< largest error of the formed batch size, as a share
  static constexpr std::int64_t kTimeoutMs = 60'000;
  KserveServer& server_;
  std::shared_ptr<const HttpHeaders> headers_;
  const ServedModel& model_;
  const ProfileOptions& options_;
  AloneTimes alone_;
};

std::vector<int> sizes_for(const ProfileOptions& options, std::int64_t most) {
  std::vector<int> batches = batches_of(options);
  if (options.batches.empty())
    return usual_batches(static_cast<int>(std::min<std::int64_t>(options.max_batch, most)));
  if (batches.back() > most)
    throw input_error({"", 0, "--batches"}, std::to_string(batches.back()),
                      "at most " + std::to_string(most) + ", the model's max_batch_size");
  return batches;
}

bool has(const ServerMetadata& server, const std::string& extension) {
  return std::ranges::find(server.extensions, extension) != server.extensions.end();
}

std::string ms_text(double ms) { return text_of(std::round(ms * 1000) / 1000) + " ms"; }

/// Returns what a run needs beside the latencies: how long a request alone takes its client.
std::string alone_text(const ServedModel& model, const AloneTimes& alone, TimeNs latency_ns) {
  const double beyond_ms = ns_to_ms(std::max<TimeNs>(alone.client_ns - latency_ns - model.delay_ns(), 0));
  std::string text = "a request alone takes its client " + ms_text(ns_to_ms(alone.client_ns));
  if (model.has_statistics)
    text += ", " + ms_text(ns_to_ms(alone.queue_ns)) + " of it in the server's queue and " +
            ms_text(ns_to_ms(alone.compute_ns)) + " computing";
  return text + ": cluster.network_delay_ms = " + text_of(std::round(beyond_ms * 100) / 100);
}

std::vector<std::string> named_models(const ProfileOptions& options) {
  std::set<std::string> names;
  for (const std::string& name : options.models) {
    if (!names.insert(name).second) throw input_error({"", 0, "--model"}, name + " twice", "each model once");
  }
  if (names.empty()) throw input_error({"", 0, "--model"}, "nothing", "a model of the server");
  return options.models;
}

}  // namespace

int profile_server(const ProfileOptions& options) {
  const std::vector<std::string> names = named_models(options);
  RepeatRule rule = rule_of(options);
  rule.least_rounds = 50;  // enough for the quantiles of a server, whose times scatter
  check_profile_output(options.output);
  const auto headers = server_headers("application/json");
  KserveServer server(options.server, headers, nullptr);
  server.check_ready();
  const ServerMetadata metadata = server.metadata();
  MeasuredSet set;
  set.device = options.device_name.empty() ? metadata.name + " " + metadata.version : options.device_name;
  set.description = "measured on a running server, " + metadata.name + " " + metadata.version;
  set.source = source_text() + "; medians of the time between the ends of batches that follow each other";
  const std::string before = options.add ? text_before(options.output, set.device, options.models) : "";
  int failures = 0;
  for (const std::string& name : names) {
    try {
      ServedModel model{server.model(name), std::nullopt, has(metadata, "statistics")};
      if (has(metadata, "model_configuration")) model.config = server.config(name);
      const std::int64_t most =
          model.config ? std::max<std::int64_t>(model.config->max_batch_size, 1) : kLargestBatch;
      const std::vector<int> batches = sizes_for(options, most);
      rule.limit_ns = s_to_ns(options.limit_s) / static_cast<TimeNs>(batches.size());
      ServerProfile measured(server, headers, model, options);
      ModelProfile profile = measured.measure(batches, rule);
      profile.notes.push_back(alone_text(model, measured.alone(), profile.sizes.front().time.median_ns));
      set.profiles.push_back(measured_times(profile));
      write_file(options.output, before.empty() ? text_of(set) : added_text(options.output, before, set));
      std::string text = name + " on " + set.device + "\n" + times_text(profile) + "\n";
      for (const std::string& note : profile.notes) text += note + "\n";
      print_text(text);
    } catch (const ServerFault& failed) {
      if (names.size() == 1) throw;
      ++failures;
      std::fprintf(stderr, "harness: %s is left out: %s\n", name.c_str(), failed.what());
    }
  }
  if (set.profiles.empty()) throw EnvironmentError("none of the models could be measured");
  print_text(written_text(options.output, set.profiles.size()));
  return failures > 0 ? 1 : 0;
}

}  // namespace harness
