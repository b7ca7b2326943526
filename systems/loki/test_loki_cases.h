// Task trees with profiles for tests and benchmarks of Loki's Resource Manager.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "harness/core/check.h"
#include "harness/core/random_stream.h"
#include "harness/core/task_spec.h"
#include "systems/loki/allocation_problem.h"

namespace harness {

/// A problem with all that it points to. It is neither copied nor moved, but made in place and filled.
struct LokiCase {
  LokiCase() = default;
  explicit LokiCase(void (*make)(LokiCase&)) { make(*this); }
  LokiCase(const LokiCase&) = delete;
  LokiCase& operator=(const LokiCase&) = delete;

  /// Adds a variant and its profile. `latency_ms` holds the latencies at the batch sizes 1, 2, 4, ...;
  /// straight lines give the sizes between them.
  void variant(TaskSpec& task, const std::string& model, double accuracy, std::vector<double> fan_out,
               const std::vector<double>& latency_ms) {
    Module& module = task.variants.emplace_back();
    module.model = model;
    module.accuracy = accuracy;
    module.fan_out = std::move(fan_out);
    Profile& profile = profiles.emplace_back();
    profile.model = model;
    for (std::size_t i = 0; i < latency_ms.size(); ++i) {
      const int low = i == 0 ? 0 : 1 << (i - 1);
      const int high = 1 << i;
      for (int b = low + 1; b <= high; ++b) {
        const double before = i == 0 ? latency_ms[0] : latency_ms[i - 1];
        profile.latency_ns.push_back(
            ms_to_ns(before + (latency_ms[i] - before) * (b - low) / static_cast<double>(high - low)));
      }
    }
  }

  /// Links the tasks and points to everything. The batch sizes are the powers of two up to 32.
  void link(const std::vector<TaskSpec>& tasks) {
    const std::string wrong = link_tasks(pipeline, tasks);
    HARNESS_CHECK(wrong.empty(), wrong.c_str());
    problem.pipeline = &pipeline;
    for (const Module& module : pipeline.modules) {
      problem.fan_out.push_back(module.fan_out);
      for (const Profile& profile : profiles)
        if (profile.model == module.model) problem.profiles.push_back(&profile);
    }
    problem.batches = {1, 2, 4, 8, 16, 32};
  }

  Pipeline pipeline;
  std::deque<Profile> profiles;
  AllocationProblem problem;
};

/// Makes a tree with a detector that finds two things, or a quicker one that finds one; the things are
/// classified. One visit at a time, a worker of the detectors does 100 or 200 requests/s, a worker of the
/// classifiers 200 or 400.
inline void make_by_hand(LokiCase& made) {
  std::vector<TaskSpec> tasks = {{"detect", {"classify"}, {}}, {"classify", {}, {}}};
  made.variant(tasks[0], "big", 1, {2}, {10});
  made.variant(tasks[0], "small", 0.8, {1}, {5});
  made.variant(tasks[1], "best", 1, {}, {5});
  made.variant(tasks[1], "fast", 0.9, {}, {2.5});
  made.link(tasks);
  made.problem.latency_limit_ns = ms_to_ns(100);
}

inline void add_detectors(LokiCase& made, TaskSpec& task) {
  const auto fan_out = [](double objects, double cars) {
    return std::vector<double>{objects * cars, objects * (1 - cars) / 2};
  };
  made.variant(task, "yolov5n", 0.901, fan_out(2.58, .768), {9.4, 12.8, 32.7, 73.0, 231.7, 258.3});
  made.variant(task, "yolov5s", 0.935, fan_out(5.46, .932), {11.0, 19.1, 35.2, 85.7, 163.5, 316.4});
  made.variant(task, "yolov5m", 0.967, fan_out(14.37, .958), {17.4, 29.7, 53.5, 114.9, 210.2, 415});
  made.variant(task, "yolov5l", 0.983, fan_out(18.21, .959), {21.3, 39, 72.7, 159, 282, 556});
  made.variant(task, "yolov5x", 1.0, fan_out(18.89, .943), {40.8, 70.8, 137, 271, 501, 992});
}

/// Adds the car classifiers. The latencies of b0, b4 and b6 are Loki's (GTX 1080 Ti); the other five lie on
/// straight lines through them.
inline void add_car_classifiers(LokiCase& made, TaskSpec& task) {
  const std::vector<double> b0 = {3.9, 4.1, 6.1, 10.5, 19.2, 35.6};
  const std::vector<double> b4 = {8.8, 9.1, 12.3, 18.9, 32.6, 58.8};
  const std::vector<double> b6 = {11.8, 12.4, 18.1, 28.7, 51.8, 97.5};
  const std::vector<double> top1 = {77.1, 79.1, 80.1, 81.6, 82.9, 83.6, 84.0, 84.3};
  for (std::size_t k = 0; k < 8; ++k) {
    std::vector<double> latency_ms;
    for (std::size_t i = 0; i < b0.size(); ++i) {
      const double x = static_cast<double>(k);
      latency_ms.push_back(k <= 4 ? b0[i] + (b4[i] - b0[i]) * x / 4 : b4[i] + (b6[i] - b4[i]) * (x - 4) / 2);
    }
    made.variant(task, "efficientnet-b" + std::to_string(k), top1[k] / top1.back(), {}, latency_ms);
  }
}

/// Makes traffic analysis at the paper's size: 5 detectors, 8 car classifiers, 4 face models (gendernet, and
/// three with 1.5, 2 and 3 times its latency).
inline void make_traffic(LokiCase& made) {
  std::vector<TaskSpec> tasks = {{"detect", {"cars", "faces"}, {}}, {"cars", {}, {}}, {"faces", {}, {}}};
  add_detectors(made, tasks[0]);
  add_car_classifiers(made, tasks[1]);
  double accuracy = 0.9;
  for (const double slower : {1.0, 1.5, 2.0, 3.0}) {
    std::vector<double> latency_ms = {4.9, 12, 15.6, 19.3, 33.7, 64.8};
    for (double& ms : latency_ms) ms *= slower;
    made.variant(tasks[2], "face" + std::to_string(static_cast<int>(10 * slower)), accuracy, {}, latency_ms);
    accuracy += 1.0 / 30;
  }
  made.link(tasks);
  made.problem.workers = 20;
  made.problem.latency_limit_ns = ms_to_ns(120);
}

/// Makes social media at the paper's size: 5 classifiers, then 4 models that describe the image.
inline void make_social(LokiCase& made) {
  std::vector<TaskSpec> tasks = {{"classify", {"caption"}, {}}, {"caption", {}, {}}};
  const std::vector<double> base = {3, 4, 6, 10, 18, 34};
  for (int k = 0; k < 5; ++k) {
    std::vector<double> latency_ms = base;
    for (double& ms : latency_ms) ms *= 1 + 0.5 * k;
    made.variant(tasks[0], "resnet" + std::to_string(k), 0.89 + 0.0275 * k, {0.6}, latency_ms);
  }
  made.variant(tasks[1], "clip-s", 0.85, {}, {20, 24, 30, 40, 60, 100});
  made.variant(tasks[1], "clip-m", 0.90, {}, {62, 71, 80, 94, 133, 232});
  made.variant(tasks[1], "clip-l", 0.95, {}, {90, 126, 166, 277, 461, 1063});
  made.variant(tasks[1], "clip-x", 1.0, {}, {95, 150, 200, 300, 520, 1100});
  made.link(tasks);
  made.problem.workers = 20;
  made.problem.latency_limit_ns = ms_to_ns(120);
}

/// Makes a small tree: two tasks, or three as a chain or with two sinks; 1 to 3 variants each, up to 5
/// workers, up to 3 batch sizes, a latency limit that some batches keep, and a demand from far below to above
/// what can be carried.
inline void make_random(LokiCase& made, std::uint64_t seed) {
  RandomStream random(seed, "loki_case");
  const auto whole = [&](int low, int high) {
    const int choices = high - low + 1;
    return low + static_cast<int>(random.below(static_cast<std::uint64_t>(choices)));
  };
  const int shape = whole(0, 3);  // 0, 1: two tasks; 2: a chain of three; 3: two sinks
  std::vector<TaskSpec> tasks(shape < 2 ? 2 : 3);
  for (std::size_t t = 0; t < tasks.size(); ++t) tasks[t].name = "t" + std::to_string(t);
  tasks[0].subs = {"t1"};
  if (shape == 2) tasks[1].subs = {"t2"};
  if (shape == 3) tasks[0].subs.push_back("t2");
  int models = 0;
  for (TaskSpec& task : tasks) {
    for (int variants = whole(1, shape < 2 ? 3 : 2); variants > 0; --variants) {
      std::vector<double> fan_out;
      for (std::size_t s = 0; s < task.subs.size(); ++s) fan_out.push_back(whole(0, 6) / 2.0);
      const double first_ms = whole(2, 20);
      const double per_item = whole(3, 11) / 10.0;
      made.variant(task, "m" + std::to_string(models++), whole(6, 10) / 10.0, fan_out,
                   {first_ms, first_ms * (1 + per_item), first_ms * (1 + 3 * per_item)});
    }
  }
  made.link(tasks);
  made.problem.batches = shape < 2 ? std::vector<int>{1, 2, 4} : std::vector<int>{1, 4};
  made.problem.workers = whole(2, shape < 2 ? 4 : 5);
  made.problem.latency_limit_ns = ms_to_ns(whole(15, 90));
  made.problem.demand_rps = whole(0, 25) * 8;
}

}  // namespace harness
