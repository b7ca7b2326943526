#include "harness/gpu/profiling/profile_model.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>

#include "harness/core/check.h"
#include "harness/gpu/profiling/batch_runner.h"

namespace harness {
namespace {

/// A batch size of one of the loaded models.
struct Point {
  DeviceModel model = 0;
  int batch = 0;
};

/// The least number of sizes for a fit: through two points there is always a line, which says nothing.
constexpr std::size_t kMinFitted = 3;
/// The share of the latencies' time limit that preempting may take: 1 / this.
constexpr TimeNs kPreemptingShare = 4;

void require_success(const FinishedBatch& finished) {
  if (!finished.end.failure.empty()) throw BatchFailed(finished.end);
}

/// Drops the sizes that the device has no memory for; returns the least of them, or 0.
int drop_refused(BatchRunner& runner, DeviceModel model, std::vector<int>& batches) {
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const FinishedBatch finished = runner.run(model, batches[i]);
    if (finished.end.fault == DeviceFault::kOutOfMemory && i > 0) {
      const int refused = batches[i];
      batches.resize(i);
      return refused;
    }
    require_success(finished);
  }
  return 0;
}

std::vector<Point> points_of(const std::vector<DeviceModel>& models, const std::vector<int>& batches) {
  std::vector<Point> points;
  for (const DeviceModel model : models) {
    for (const int batch : batches) points.push_back({model, batch});
  }
  return points;
}

/// Returns the moment of the i-th preemption in (0, 1): for any number of preemptions the moments lie evenly.
double moment(int i) {
  constexpr double kGolden = 0.6180339887498949;
  const double turned = 0.5 + kGolden * i;
  return turned - std::floor(turned);
}

/// The delays of preemptions of one size.
struct Delays {
  int batch = 0;
  TimeNs plain_ns = 0;
  TimeNs segmented_ns = 0;
  double sum_ns = 0;
  int count = 0;
};

void measure_preemption(BatchRunner& runner, DeviceModel model, const ProfileParams& params,
                        std::vector<Delays>& sizes, ExitPointCost& cost) {
  const TimeNs end_ns = runner.wait().now_ns() + params.rule.limit_ns / kPreemptingShare;
  std::vector<TimeNs> all;
  for (int i = 0; i < params.preemptions && (i == 0 || runner.wait().now_ns() < end_ns); ++i) {
    for (Delays& size : sizes) {
      const TimeNs after_ns = static_cast<TimeNs>(moment(i) * static_cast<double>(size.segmented_ns));
      const FinishedBatch finished = runner.run_preempted(model, size.batch, after_ns);
      require_success(finished);
      const TimeNs delay_ns = finished.end.ended_ns - finished.asked_ns;
      if (finished.asked_ns == 0 || delay_ns < 0) continue;
      ++(finished.end.preempted ? cost.stopped : cost.ran_out);
      size.sum_ns += static_cast<double>(delay_ns);
      ++size.count;
      all.push_back(delay_ns);
    }
  }
  if (all.empty()) return;
  const TimingSummary summary = summary_of(all);
  cost.delay_median_ns = summary.median_ns;
  cost.delay_p99_ns = summary.p99_ns;
  int counted = 0;
  for (const Delays& size : sizes) {
    if (size.count == 0) continue;
    cost.delay_share += size.sum_ns / size.count / static_cast<double>(size.plain_ns);
    ++counted;
  }
  cost.delay_share /= counted;
}

/// Computes the cost. `timed` has the sizes of the plain model first, then the sizes of the model with exit
/// points.
ExitPointCost cost_of_exit_points(BatchRunner& runner, DeviceModel segmented, const ProfileParams& params,
                                  const std::vector<int>& batches, const RepeatedTimes& timed) {
  ExitPointCost cost;
  cost.exit_points = runner.device().exit_points(segmented);
  std::vector<Delays> sizes;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    Delays size;
    size.batch = batches[i];
    size.plain_ns = timed.summary(i).median_ns;
    size.segmented_ns = timed.summary(batches.size() + i).median_ns;
    const double overhead = static_cast<double>(size.segmented_ns) / static_cast<double>(size.plain_ns) - 1;
    cost.overhead += overhead / static_cast<double>(batches.size());
    cost.largest_overhead = i == 0 ? overhead : std::max(cost.largest_overhead, overhead);
    sizes.push_back(size);
  }
  measure_preemption(runner, segmented, params, sizes, cost);
  return cost;
}

void check(const ProfileParams& params) {
  const std::vector<int>& batches = params.batches;
  HARNESS_CHECK(!batches.empty() && batches.front() == 1 &&
                    std::is_sorted(batches.begin(), batches.end(), std::less_equal<>()),
                "batch sizes rise from 1");
}

/// Loads the model and notes its time and memory.
DeviceModel load_plain(BatchRunner& runner, ModelSource source, ModelProfile& profile) {
  Device& device = runner.device();
  source.exit_points = 0;
  const std::uint64_t input_bytes = device.memory().input_bytes;
  const TimeNs before_ns = runner.wait().now_ns();
  const DeviceModel model = device.load(source);
  profile.load_ns = runner.wait().now_ns() - before_ns;
  const MemoryUse use = device.memory();
  profile.model_bytes = use.model_bytes.at(model);
  profile.input_bytes = use.input_bytes - std::min(use.input_bytes, input_bytes);
  return model;
}

/// Returns the device's notes after the first `earlier` ones.
std::vector<std::string> notes_from(const Device& device, std::size_t earlier) {
  const std::vector<std::string> notes = device.notes();
  return {notes.begin() + static_cast<std::ptrdiff_t>(earlier), notes.end()};
}

}  // namespace

std::vector<int> usual_batches(int most) {
  std::vector<int> batches;
  for (int power = 1; power <= most; power *= 2) {
    batches.push_back(power);
    const int between = power + power / 2;
    if (power > 1 && between <= most) batches.push_back(between);
  }
  if (batches.back() != most) batches.push_back(most);
  return batches;
}

ModelProfile profile_model(Device& device, DeviceWait& wait, const ModelSource& source,
                           const ProfileParams& params) {
  check(params);
  BatchRunner runner(device, wait, params.batches.back(), params.image_height, params.image_width,
                     source.seed);
  ModelSource loaded = source;
  loaded.max_batch = params.batches.back();
  loaded.batches = params.batches;
  ModelProfile profile;
  profile.model = source.model;
  profile.device = device.name();
  const std::size_t earlier_notes = device.notes().size();
  std::vector<DeviceModel> models = {load_plain(runner, loaded, profile)};
  std::vector<int> batches = params.batches;
  profile.refused_batch = drop_refused(runner, models.front(), batches);
  if (source.exit_points != 0) {
    const DeviceModel segmented = device.load(loaded);
    if (device.exit_points(segmented) > 0) models.push_back(segmented);
  }
  profile.notes = notes_from(device, earlier_notes);
  const std::vector<Point> points = points_of(models, batches);
  std::vector<TimeNs> handovers;
  const auto time_once = [&](std::size_t i) {
    const FinishedBatch finished = runner.run(points[i].model, points[i].batch);
    require_success(finished);
    if (i == 0) handovers.push_back(finished.handover_ns());
    return finished.time_ns();
  };
  const RepeatedTimes timed =
      time_repeatedly(points.size(), time_once, params.rule, [&] { return wait.now_ns(); });
  std::vector<TimeNs> medians;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    profile.sizes.push_back({batches[i], timed.summary(i)});
    medians.push_back(profile.sizes.back().time.median_ns);
  }
  if (batches.size() >= kMinFitted) profile.fit = fit_latency(batches, medians);
  profile.handover_ns = median_of(handovers);
  profile.stopped_by = timed.stopped_by;
  profile.drift = timed.drift();
  if (models.size() > 1) profile.exit_points = cost_of_exit_points(runner, models[1], params, batches, timed);
  return profile;
}

}  // namespace harness
