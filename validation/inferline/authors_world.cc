#include "validation/inferline/authors_world.h"

#include <algorithm>
#include <cmath>

#include "harness/core/check.h"
#include "harness/core/input_error.h"
#include "workloads/spec/trace_spec.h"
#include "workloads/streams/trace_arrivals.h"

namespace harness {
namespace {

/// A model, the share of queries that visit it, and the models after it with the share that each gets.
struct Part {
  std::string model;
  double share = 1;
  std::vector<std::string> subs = {};
  std::vector<double> probabilities = {};  ///< probability of each of `subs`; empty: all are visited
};

/// The name of the model at which queries come in: it takes no time and costs nothing.
constexpr const char* kEntry = "entry";

std::vector<Part> parts_of(const std::string& pipeline) {
  if (pipeline == "image_driver_1") {
    return {{kEntry, 1, {"inception", "tf-resnet-feats"}},
            {"inception", 1, {"tf-log-reg"}},
            {"tf-resnet-feats", 1, {"tf-kernel-svm"}},
            {"tf-log-reg"},
            {"tf-kernel-svm"}};
  }
  if (pipeline == "resnet_cascade") {
    constexpr double kRes50 = 0.8096;
    constexpr double kRes152 = 0.0810;
    return {{"alexnet", 1, {"res50"}, {kRes50}},
            {"res50", kRes50, {"res152"}, {kRes152 / kRes50}},
            {"res152", kRes152}};
  }
  if (pipeline == "conditional_cascade") {
    constexpr double kRes152 = 0.1;
    return {
        {"cascadepreprocess", 1, {"alexnet"}}, {"alexnet", 1, {"res152"}, {kRes152}}, {"res152", kRes152}};
  }
  if (pipeline == "preprocess_alexnet") return {{"cascadepreprocess", 1, {"alexnet"}}, {"alexnet"}};
  throw InputError("no pipeline '" + pipeline + "'");
}

/// Returns the text that tells the tables of June apart, of which some have the same models.
std::string path_of_june(const std::string& pipeline) {
  if (pipeline == "image_driver_1") return "Sim_Eyal";
  return pipeline == "resnet_cascade" ? "pipeline_three" : "conditional_cascade_eval";
}

std::string name_in_table(const std::string& model) {
  return model.starts_with("resnet") || !model.starts_with("res") ? model : "resnet" + model.substr(3);
}

using Rows = std::vector<AuthorsProfileRow>;

/// Returns the rows of the model by rising batch; empty if it has no rows.
Rows rows_of(const AuthorsData& data, const std::string& kind, const std::string& path,
             const std::string& model) {
  Rows rows;
  for (const AuthorsProfileRow& row : data.profiles) {
    if (row.kind == kind && row.model == name_in_table(model) && row.path.find(path) != std::string::npos)
      rows.push_back(row);
  }
  std::ranges::sort(rows, {}, &AuthorsProfileRow::batch);
  return rows;
}

Rows june_rows(const AuthorsData& data, const std::string& pipeline, const std::string& model) {
  return rows_of(data, "planner_table", path_of_june(pipeline), model);
}

Rows derived_rows(const AuthorsData& data, const std::string& model) {
  return rows_of(data, "derived_from_plans", "", model);
}

double latency_ms(const AuthorsProfileRow& row, AuthorsLatency latency) {
  return latency == AuthorsLatency::kP99 ? row.p99_ms : std::ceil(row.batch) / row.qps * 1000;
}

/// Returns the latency on straight lines between the rows; below the first row it is the first row's.
double latency_at_ms(const Rows& rows, double batch, AuthorsLatency latency) {
  const AuthorsProfileRow* before = nullptr;
  for (const AuthorsProfileRow& row : rows) {
    const double here = std::ceil(row.batch);
    if (here >= batch) {
      if (before == nullptr) return latency_ms(row, latency);
      const double first = std::ceil(before->batch);
      const double part = (batch - first) / (here - first);
      return latency_ms(*before, latency) * (1 - part) + latency_ms(row, latency) * part;
    }
    before = &row;
  }
  return latency_ms(rows.back(), latency);
}

double april_factor(const AuthorsData& data, const std::string& model) {
  const Rows june = june_rows(data, "image_driver_1", model);
  for (const AuthorsProfileRow& row : derived_rows(data, model)) {
    for (const AuthorsProfileRow& other : june) {
      if (other.batch == row.batch) return row.qps / other.qps;
    }
  }
  double factor = 1;
  for (const AuthorsPlan& plan : data.plans) {
    if (!plan.has_curves()) continue;
    for (const AuthorsStage& stage : plan.stages) {
      if (stage.model != model) continue;
      const double qps = stage.batch / latency_at_ms(june, stage.batch, AuthorsLatency::kService) * 1000;
      factor = std::max(factor, plan.throughput_qps / plan.cap / (stage.replicas * qps));
    }
  }
  return factor;
}

/// Returns the rows that the plans imply. For smaller batches, and for models without such rows, it returns
/// June's rows, made faster by one factor.
Rows april_rows(const AuthorsData& data, const std::string& model) {
  Rows rows = derived_rows(data, model);
  const double least = rows.empty() ? INFINITY : rows.front().batch;
  const double factor = april_factor(data, model);
  for (AuthorsProfileRow row : june_rows(data, "image_driver_1", model)) {
    if (row.batch >= least) continue;
    row.qps *= factor;
    rows.push_back(row);
  }
  std::ranges::sort(rows, {}, &AuthorsProfileRow::batch);
  return rows;
}

Profile profile_of(const AuthorsData& data, const std::string& pipeline, const std::string& model,
                   const AuthorsWorldOptions& options) {
  Profile profile;
  profile.model = model;
  if (model == kEntry) {
    profile.device = kEntry;
    profile.latency_ns = {options.latency == AuthorsLatency::kP99 ? 0 : 1};
    return profile;
  }
  const Rows rows =
      options.table == AuthorsTable::kApril ? april_rows(data, model) : june_rows(data, pipeline, model);
  if (rows.empty()) throw InputError("the tables of " + pipeline + " do not have " + model);
  profile.device = rows.front().gpu;
  const double slower = profile.device == "none" ? 1 : 1 / options.gpu_speed;
  for (int batch = 1; batch <= std::ceil(rows.back().batch); ++batch)
    profile.latency_ns.push_back(ms_to_ns(latency_at_ms(rows, batch, options.latency) * slower));
  return profile;
}

}  // namespace

AuthorsWorld::AuthorsWorld(const AuthorsData& data, const std::string& pipeline,
                           const AuthorsWorldOptions& options) {
  const std::vector<Part> parts = parts_of(pipeline);
  std::vector<std::vector<std::string>> pres(parts.size());
  std::vector<std::vector<std::string>> subs;
  for (const Part& part : parts) {
    Module& module = pipeline_.modules.emplace_back();
    module.name = module.model = part.model;
    subs.push_back(part.subs);
    for (std::size_t other = 0; other < parts.size(); ++other) {
      if (std::ranges::count(part.subs, parts[other].model) > 0) pres[other].push_back(part.model);
    }
  }
  std::string wrong = link_modules(pipeline_, pres, subs);
  for (const Part& part : parts) {
    if (wrong.empty() && options.conditional && !part.probabilities.empty())
      wrong = choose_each(pipeline_, part.model, part.subs, part.probabilities);
  }
  HARNESS_CHECK(wrong.empty(), wrong.c_str());
  constexpr int kPlenty = 1000;
  constexpr double kAlmostFree = 1e-12;
  for (const char* kind : {kEntry, "none", "v100"}) {
    AuthorsStage replica;
    replica.gpu = kind;
    replica.gpus = replica.gpu == "v100" ? 1 : 0;
    replica.cpus = replica.gpu == kEntry ? 0 : 1;
    // The entry is free, but InferLine takes a price of 0 for a missing one and counts 1 instead.
    devices_.push_back({kind, kPlenty, std::max(data.price(replica), kAlmostFree), {}});
    devices_.back().profiles.resize(parts.size());
  }
  for (std::size_t m = 0; m < parts.size(); ++m) {
    const Part& part = *std::ranges::find(parts, pipeline_.modules[m].name, &Part::model);
    shares_.push_back(options.conditional ? part.share : 1);
    const Profile profile = profile_of(data, pipeline, part.model, options);
    for (ClusterDevice& device : devices_) {
      if (device.name == profile.device) device.profiles[m] = profile;
    }
  }
  context_.pipeline = &pipeline_;
  context_.devices = devices_;
  hardware_ = std::make_unique<Hardware>(context_);
}

bool AuthorsWorld::has_profiles(const std::vector<AuthorsStage>& stages) const {
  try {
    configuration(stages);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

Configuration AuthorsWorld::configuration(const std::vector<AuthorsStage>& stages) const {
  Configuration configuration(pipeline_.modules.size());
  for (std::size_t m = 0; m < configuration.size(); ++m) {
    for (const AuthorsStage& stage : stages) {
      if (stage.model != pipeline_.modules[m].name) continue;
      for (std::size_t kind = 0; kind < devices_.size(); ++kind) {
        if (devices_[kind].name == stage.gpu) configuration[m].device = static_cast<std::uint16_t>(kind);
      }
      configuration[m].max_batch = static_cast<int>(std::ceil(stage.batch));
      configuration[m].replicas = stage.replicas;
      const Profile* profile = hardware_->find_profile(static_cast<ModuleId>(m), configuration[m].device);
      if (profile == nullptr || profile->max_batch() < configuration[m].max_batch)
        throw InputError("no profile of " + stage.model + " on " + stage.gpu + " at batches of " +
                         std::to_string(configuration[m].max_batch));
    }
  }
  return configuration;
}

double AuthorsWorld::throughput_qps(const Configuration& configuration) const {
  double least = INFINITY;
  for (ModuleId m = 0; m < configuration.size(); ++m) {
    const double qps = configuration[m].replicas * hardware_->replica_rps(m, configuration[m]);
    least = std::min(least, qps / shares_[m]);
  }
  return least;
}

std::vector<AuthorsSpeed> april_over_june(const AuthorsData& data) {
  std::vector<AuthorsSpeed> speeds;
  for (const Part& part : parts_of("image_driver_1")) {
    if (part.model != kEntry) speeds.push_back({part.model, april_factor(data, part.model)});
  }
  return speeds;
}

std::vector<TimeNs> authors_trace(double rate_qps, double scv, int queries, std::uint64_t seed) {
  TraceSpec spec;
  spec.duration_s = queries / rate_qps;
  spec.shape = std::isnan(scv) ? "constant" : "gamma";
  if (!std::isnan(scv)) spec.scv = scv;
  std::vector<TimeNs> times;
  for (ArrivalCursor cursor(make_arrivals(spec, rate_qps, seed)); cursor.next_ns() != kNever;
       cursor.advance())
    times.push_back(cursor.next_ns());
  return times;
}

}  // namespace harness
