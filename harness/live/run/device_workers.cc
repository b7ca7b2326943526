#include "harness/live/run/device_workers.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "harness/core/cell_failed.h"
#include "harness/core/check.h"
#include "harness/gpu/profiling/profile_model.h"
#include "harness/gpu/profiling/timing_summary.h"
#include "harness/live/tensors/tensors.h"

namespace harness {

DeviceWorkers::DeviceWorkers(std::vector<std::unique_ptr<Device>> devices, std::uint32_t first_gpu,
                             const Models& models)
    : first_gpu_(first_gpu) {
  for (std::size_t m = 0; m < models.pipeline.modules.size(); ++m) {
    std::optional<Need> need = need_of(models, m);
    index_in_loaded_.push_back(need ? loaded_.size() : kNotLoaded);
    if (need) loaded_.push_back(std::move(*need));
  }
  std::vector<std::shared_ptr<const DeviceActivity>> watched;
  for (const std::unique_ptr<Device>& device : devices) {
    if (auto activity = device->activity()) watched.push_back(std::move(activity));
  }
  if (!watched.empty()) watch_.emplace(std::move(watched), models.watch);
  for (std::unique_ptr<Device>& device : devices) {
    Gpu& gpu = gpus_.emplace_back();
    gpu.device = std::move(device);
    for (const Need& need : loaded_) gpu.models.push_back({gpu.device->load(need.source), {}});
  }
}

std::optional<DeviceWorkers::Need> DeviceWorkers::need_of(const Models& models, std::size_t m) {
  const Profile& profile = models.profiles[m];
  if (profile.service != Service::kBatch) return std::nullopt;
  const Module& module = models.pipeline.modules[m];
  Need need{{}, module.input_height, module.input_width};
  ModelSource& source = need.source;
  source.model = module.model;
  source.file = module.file;
  if (!module.file.empty()) {
    source.input_height = module.input_height;
    source.input_width = module.input_width;
  }
  source.seed = models.seed;
  source.max_batch =
      models.largest_batches.empty() ? profile.max_batch() : std::max(models.largest_batches[m], 1);
  if (models.preemptible) source.exit_points = profile.exit_points;
  source.precision = models.precision;
  source.output_bytes = output_bytes(models.pipeline, static_cast<ModuleId>(m));
  return need;
}

bool DeviceWorkers::Need::is_like(const Need& other) const {
  ModelSource same = other.source;
  if (source.exit_points == 0) same.max_batch = source.max_batch;
  return source == same && image_height == other.image_height && image_width == other.image_width;
}

std::size_t DeviceWorkers::find_in_loaded(const Need& need, const std::vector<std::size_t>& taken) const {
  for (std::size_t i = 0; i < loaded_.size(); ++i) {
    if (std::find(taken.begin(), taken.end(), i) != taken.end()) continue;
    if (loaded_[i].is_like(need) && loaded_[i].source.max_batch >= need.source.max_batch) return i;
  }
  return kNotLoaded;
}

bool DeviceWorkers::switch_to(const Models& models) {
  std::vector<std::size_t> indices(models.pipeline.modules.size(), kNotLoaded);
  std::size_t needs = 0;
  bool is_exact = true;
  for (std::size_t m = 0; m < indices.size(); ++m) {
    const std::optional<Need> need = need_of(models, m);
    if (!need) continue;
    const std::size_t found = find_in_loaded(*need, indices);
    if (found == kNotLoaded) return false;
    is_exact = is_exact && loaded_[found].source == need->source;
    indices[m] = found;
    ++needs;
  }
  if (!notes().empty() && (!is_exact || needs != loaded_.size())) return false;
  index_in_loaded_ = std::move(indices);
  return true;
}

std::vector<int> DeviceWorkers::batches_for_both(const Models& models) const {
  std::vector<int> batches = models.largest_batches;
  for (std::size_t m = 0; notes().empty() && m < batches.size(); ++m) {
    const std::optional<Need> need = need_of(models, m);
    for (const Need& loaded : loaded_) {
      if (need && loaded.is_like(*need)) batches[m] = std::max(batches[m], loaded.source.max_batch);
    }
  }
  return batches;
}

void DeviceWorkers::settle() {
  finish();  // lost workers may have left batches
  for (std::size_t i = 0; i < loaded_.size(); ++i) run_everywhere(i, 1);
}

DeviceWorkers::Example DeviceWorkers::example_batch(int height, int width, int batch) {
  const auto one = std::make_shared<std::vector<std::uint8_t>>(
      std::size_t{3} * static_cast<std::size_t>(height) * static_cast<std::size_t>(width));
  for (std::size_t i = 0; i < one->size(); ++i) (*one)[i] = static_cast<std::uint8_t>(i);
  const Image image{*one, height, width};
  return {std::vector<Image>(static_cast<std::size_t>(batch), image), one};
}

DeviceWorkers::EndedBatch DeviceWorkers::finish() {
  constexpr timespec kPause{0, 100'000};
  const auto is_busy = [](const Gpu& own) { return !own.running.empty(); };
  EndedBatch last;
  while (std::any_of(gpus_.begin(), gpus_.end(), is_busy)) {
    const std::span<const EndedBatch> ended = take();
    if (ended.empty())
      clock_nanosleep(CLOCK_MONOTONIC, 0, &kPause, nullptr);
    else
      last = ended.back();
  }
  return last;
}

void DeviceWorkers::run_everywhere(std::size_t index, int batch) {
  const Example example = example_batch(loaded_[index].image_height, loaded_[index].image_width, batch);
  const auto gpus = static_cast<std::uint32_t>(gpus_.size());
  for (std::uint32_t i = 0; i < Device::kMaxOutstanding * gpus; ++i)
    run_loaded(i, gpus_[i % gpus], index, example.images, {&example.owner, 1});
  finish();
}

void DeviceWorkers::try_batches(std::span<const int> batches) {
  for (std::size_t m = 0; m < batches.size(); ++m) {
    if (batches[m] > 0) run_everywhere(index_in_loaded_[m], batches[m]);
  }
}

TimeNs DeviceWorkers::time_alone(std::uint32_t device, ModuleId module, const std::vector<Example>& sizes,
                                 int rounds, const std::function<void()>& check_signal) {
  std::vector<std::vector<TimeNs>> took(sizes.size());
  for (int round = 0; round < rounds; ++round) {
    if (check_signal) check_signal();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      run_batch(device, first_gpu_ + device, module, sizes[i].images, {&sizes[i].owner, 1});
      const EndedBatch batch = finish();
      took[i].push_back(batch.ended_ns - batch.started_ns);
    }
  }
  TimeNs sum = 0;
  for (const std::vector<TimeNs>& each : took) sum += median_of(each);
  return sum;
}

double DeviceWorkers::slowdown(const Pipeline& pipeline, const std::vector<Profile>& profiles,
                               std::span<const int> batches, int rounds,
                               const std::function<void()>& check_signal) {
  finish();  // lost workers may have left batches
  std::vector<TimeNs> took(gpus_.size(), 0);
  TimeNs expected_ns = 0;
  for (std::size_t m = 0; m < batches.size(); ++m) {
    if (batches[m] == 0) continue;
    std::vector<Example> sizes;
    for (const int size : usual_batches(batches[m])) {
      sizes.push_back(example_batch(pipeline.modules[m].input_height, pipeline.modules[m].input_width, size));
      expected_ns += profiles[m].latency(size);
    }
    for (std::uint32_t i = 0; i < gpus_.size(); ++i)
      took[i] += time_alone(i, static_cast<ModuleId>(m), sizes, rounds, check_signal);
  }
  if (expected_ns == 0) return 1;
  double farthest = 1;
  for (const TimeNs each : took) {
    const double slowdown = static_cast<double>(each) / static_cast<double>(expected_ns);
    if (std::abs(slowdown - 1) > std::abs(farthest - 1)) farthest = slowdown;
  }
  return farthest;
}

void DeviceWorkers::prepare(std::uint32_t number, ModuleId module, const Image& image,
                            std::shared_ptr<void> owner) {
  Gpu& own = gpu(number);
  GpuModel& model = own.models[index_in_loaded_[module]];
  model.prepared.push_back(std::move(owner));
  own.device->prepare(model.handle, image);
}

void DeviceWorkers::run_batch(WorkerId worker, std::uint32_t number, ModuleId module,
                              std::span<const Image> images, std::span<const std::shared_ptr<void>> owners) {
  run_loaded(worker, gpu(number), index_in_loaded_[module], images, owners);
}

void DeviceWorkers::run_loaded(WorkerId worker, Gpu& own, std::size_t index, std::span<const Image> images,
                               std::span<const std::shared_ptr<void>> owners) {
  std::vector<std::shared_ptr<void>> kept = std::exchange(own.models[index].prepared, {});
  kept.insert(kept.end(), owners.begin(), owners.end());
  own.running.push_back({next_tag_++, worker, std::move(kept)});
  own.device->submit(own.running.back().tag, own.models[index].handle, images);
}

void DeviceWorkers::preempt(WorkerId worker) {
  for (Gpu& own : gpus_) {
    for (const Running& one : own.running) {
      if (one.worker != worker) continue;
      own.device->preempt(one.tag);
      return;  // what is ahead runs next
    }
  }
}

void DeviceWorkers::forget(WorkerId worker) {
  for (Gpu& own : gpus_) {
    for (Running& one : own.running) {
      if (one.worker != worker) continue;
      own.device->preempt(one.tag);
      one.worker = kNone;
    }
  }
}

std::span<const DeviceWorkers::EndedBatch> DeviceWorkers::take() {
  ended_.clear();
  for (Gpu& own : gpus_) {
    ends_.clear();
    if (own.running.empty() || !own.device->take(ends_)) continue;
    for (const BatchEnd& end : ends_) {
      const auto is_it = [&end](const Running& one) { return one.tag == end.tag; };
      const auto found = std::find_if(own.running.begin(), own.running.end(), is_it);
      HARNESS_CHECK(found != own.running.end(), "a device ends a batch that it was not given");
      const WorkerId worker = found->worker;
      own.running.erase(found);
      if (worker == kNone) continue;
      if (!end.failure.empty()) throw CellFailed(end.failure);
      ended_.push_back({worker, end.started_ns, end.ended_ns, end.preempted, end.outputs});
    }
  }
  return ended_;
}

std::vector<std::string> DeviceWorkers::loaded() const {
  std::vector<std::string> names;
  for (const Need& need : loaded_) {
    const std::string& name = need.source.model;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::vector<std::string> DeviceWorkers::notes() const {
  std::vector<std::string> notes;
  for (const Gpu& gpu : gpus_) {
    for (std::string& note : gpu.device->notes()) {
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(std::move(note));
    }
  }
  return notes;
}

std::string DeviceWorkers::names() const {
  std::string names;
  for (const Gpu& gpu : gpus_) names += (names.empty() ? "" : ", ") + gpu.device->name();
  return names;
}

}  // namespace harness
