#include "harness/cli/profile_server.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/cli/printing.h"
#include "harness/cli/profile_report.h"
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
  /// at once, alone; so the first group follows when such a request keeps each instance busy for `alone_ns`.
  ClosedLoop(const ModelMetadata& model, HttpRequest request, std::size_t batch, std::size_t instances,
             TimeNs alone_ns)
      : model_(model), request_(std::move(request)), batch_(batch), instances_(instances) {
    for (std::size_t i = 0; i < instances; ++i) send_group(1);
    for (const TimeNs until_ns = steady_ns() + alone_ns / 4; steady_ns() < until_ns;) client_.wait(until_ns);
    send_group(batch);
  }

  /// Waits until each instance has ended two batches; returns the mean time of one. (Where the server begins
  /// a batch before the last requests of its group are there, they come with the next one: two make up for
  /// that.)
  TimeNs next_cycle() {
    TimeNs last_ns = 0;
    for (std::size_t groups = 0; groups < kBatches * instances_;) {
      ends_.clear();
      client_.wait(kNever);
      client_.take(ends_);
      for (const HttpEnd& end : ends_) {
        if (const std::string fault = fault_of(model_, end); !fault.empty())
          throw ServerFault(request_.url + ": " + fault);
        if (--missing_[end.tag] > 0) continue;
        if (++groups == kBatches * instances_) last_ns = end.ended_ns;
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
  TimeNs last_ns_ = 0;  // end of the last cycle
};

/// A model of a server, and what is known of the way in which it is served.
struct ServedModel {
  ModelMetadata metadata;
  std::optional<ModelConfig> config;  ///< nothing if the server does not tell
  bool has_statistics = false;

  bool joins_requests() const { return config && config->dynamic_batching; }
  std::size_t instances() const {
    std::int64_t count = 0;
    if (config) {
      for (const auto& group : config->instance_groups) count += group.count;
    }
    return static_cast<std::size_t>(std::max<std::int64_t>(count, 1));
  }
};

/// Measures one model.
class ServerProfile {
 public:
  ServerProfile(KserveServer& server, const std::shared_ptr<const HttpHeaders>& headers,
                const ServedModel& model, const ProfileOptions& options)
      : server_(server), headers_(headers), model_(model), options_(options), alone_ns_(time_alone()) {}

  /// Returns the median time that a request alone takes its client.
  TimeNs alone_ns() const { return alone_ns_; }

  /// Times batches of each size until the median is known. A size that the server does not form is left out,
  /// with a note.
  ModelProfile measure(const std::vector<int>& batches, const RepeatRule& rule) {
    ModelProfile profile;
    profile.model = model_.metadata.name;
    for (const int batch : batches) add_size(profile, batch, rule);
    if (profile.sizes.empty()) throw ServerFault(server_.url() + ": no batch size could be measured");
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

  TimeNs time_alone() {
    constexpr int kRequests = 50;
    const HttpRequest request = request_of(1);
    std::vector<TimeNs> times;
    for (int i = 0; i < kRequests; ++i) {
      const HttpEnd end = server_.ask(request);
      if (const std::string fault = fault_of(model_.metadata, end); !fault.empty())
        throw ServerFault(request.url + ": " + fault);
      times.push_back(end.ended_ns - end.started_ns);
    }
    return median_of(times);
  }

  void add_size(ModelProfile& profile, int batch, const RepeatRule& rule) {
    const bool joins = model_.joins_requests();
    const ModelStatistics before = statistics();
    ClosedLoop loop(model_.metadata, request_of(joins ? 1 : batch),
                    joins ? static_cast<std::size_t>(batch) : 1, model_.instances(), alone_ns_);
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

  static constexpr double kLargestError = 0.1;  ///< of the batch size that was formed
  static constexpr std::int64_t kTimeoutMs = 60'000;
  KserveServer& server_;
  std::shared_ptr<const HttpHeaders> headers_;
  const ServedModel& model_;
  const ProfileOptions& options_;
  TimeNs alone_ns_;
};

std::vector<int> sizes_for(const ProfileOptions& options, std::int64_t most) {
  if (options.batches.empty())
    return usual_batches(static_cast<int>(std::min<std::int64_t>(options.max_batch, most)));
  std::vector<int> batches = batches_of(options);
  if (batches.back() > most)
    throw input_error({"", 0, "--batches"}, std::to_string(batches.back()),
                      "at most " + std::to_string(most) + ", the model's max_batch_size");
  return batches;
}

bool has(const ServerMetadata& server, const std::string& extension) {
  return std::ranges::find(server.extensions, extension) != server.extensions.end();
}

std::string alone_text(TimeNs alone_ns, TimeNs latency_ns) {
  const double beyond_ms = ns_to_ms(std::max<TimeNs>(alone_ns - latency_ns, 0));
  return "a request alone takes its client " + text_of(std::round(ns_to_ms(alone_ns) * 1000) / 1000) +
         " ms: cluster.network_delay_ms = " + text_of(std::round(beyond_ms * 100) / 100);
}

}  // namespace

int profile_server(const ProfileOptions& options) {
  if (options.models.empty()) throw input_error({"", 0, "--model"}, "nothing", "a model of the server");
  RepeatRule rule = rule_of(options);
  rule.least_rounds = 50;  // enough for the quantiles of a server, whose times scatter
  check_profile_output(options.output);
  std::vector<std::string> lines = headers_from_environment();
  lines.emplace_back("Content-Type: application/json");
  const auto headers = std::make_shared<const HttpHeaders>(lines, kHeadersVariable);
  KserveServer server(options.server, headers, nullptr);
  server.check_ready();
  const ServerMetadata metadata = server.metadata();
  MeasuredSet set;
  set.device = options.device_name.empty() ? metadata.name + " " + metadata.version : options.device_name;
  set.description = "measured on a running server, " + metadata.name + " " + metadata.version;
  set.source = source_text() + "; medians of the time between the ends of batches that follow each other";
  const std::string before = options.add ? text_before(options.output, set.device, options.models) : "";
  for (const std::string& name : options.models) {
    ServedModel model{server.model(name), std::nullopt, has(metadata, "statistics")};
    if (has(metadata, "model_configuration")) model.config = server.config(name);
    const std::int64_t most =
        model.config ? std::max<std::int64_t>(model.config->max_batch_size, 1) : kLargestBatch;
    const std::vector<int> batches = sizes_for(options, most);
    rule.limit_ns = s_to_ns(options.limit_s) / static_cast<TimeNs>(batches.size());
    ServerProfile measured(server, headers, model, options);
    ModelProfile profile = measured.measure(batches, rule);
    profile.notes.push_back(alone_text(measured.alone_ns(), profile.sizes.front().time.median_ns));
    set.profiles.push_back(measured_times(profile));
    write_file(options.output, before.empty() ? text_of(set) : added_text(options.output, before, set));
    std::string text = name + " on " + set.device + "\n" + times_text(profile) + "\n";
    for (const std::string& note : profile.notes) text += note + "\n";
    print_text(text);
  }
  print_text(written_text(options.output, set.profiles.size()));
  return 0;
}

}  // namespace harness
