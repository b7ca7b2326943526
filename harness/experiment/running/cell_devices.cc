#include "harness/experiment/running/cell_devices.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "harness/core/cell_failed.h"
#include "harness/core/check.h"
#include "harness/core/input_error.h"
#include "harness/core/param_list.h"
#include "harness/core/wording.h"
#include "harness/engine/dispatch/initial_plan.h"
#include "harness/gpu/device/device_module.h"
#include "harness/gpu/device/device_traits.h"
#include "harness/live/protocol/layout.h"
#include "harness/machine/steady_clock.h"

namespace harness {
namespace {

/// The cell's GPUs on this rank.
struct RankGpus {
  RankGpus(const RunSpec& spec, const PreparedCell& prepared, const Transport& transport)
      : RankGpus(Layout(spec.workers, transport.ranks(), prepared.settings.live), transport) {}
  RankGpus(const Layout& layout, const Transport& transport)
      : count(layout.gpus(transport.rank())),
        first(layout.first_gpu(transport.rank())),
        first_device(layout.first_device(transport.rank(), transport.gpu_sets())) {}

  int count;
  int first;         ///< index of the first one among the cell's GPUs
  int first_device;  ///< index of its device among the ones that this process sees
};

/// Returns true if tensors go by NCCL. If one rank has all GPUs, their lanes have nothing to do: channels
/// join GPUs of several ranks.
bool by_nccl(const GpuParams& params) {
  return traits_of(params.device).exchanges_nccl && params.exchange == ExchangeBy::kNccl;
}

bool plans_groups_anew(const RunSpec& spec, const Plan& plan) {
  return !plan.groups.empty() && spec.system->replan_period_ns(make_context(spec)) > 0;
}

}  // namespace

std::vector<int> largest_batches(const RunSpec& spec, const Plan& plan) {
  const bool may_grow = spec.system->replan_period_ns(make_context(spec)) > 0;
  std::vector<int> batches;
  for (std::size_t m = 0; m < spec.profiles.size(); ++m) {
    const int most = may_grow ? spec.profiles[m].max_batch() : plan.modules[m].max_batch;
    batches.push_back(spec.profiles[m].service == Service::kBatch ? most : 0);
  }
  return batches;
}

void check_on_devices(const RunSpec& spec, const Plan& plan, std::span<const FaultAt> faults,
                      const InputPlace& queue, int ranks) {
  for (std::size_t m = 0; m < spec.pipeline.modules.size(); ++m) {
    const Module& module = spec.pipeline.modules[m];
    if (spec.profiles[m].service != Service::kBatch || module.input_height > 0) continue;
    throw input_error({module.place.file, module.place.line, "module " + module.name}, "no input_size",
                      "input_size = [HEIGHT, WIDTH], which runtime = \"gpu\" needs");
  }
  for (const FaultAt& at : faults) {
    if (!at.on || at.fault.kind != FaultKind::kSlow) continue;
    throw input_error({at.place.file, at.place.line, "fault"}, "kind = \"slow\" with runtime = \"gpu\"",
                      "stop, delay or loss: no real device becomes slow when it is asked to");
  }
  if (spec.serving.queue == QueueScope::kModule && ranks > 2)
    throw input_error(queue, "module with runtime = \"gpu\" on " + std::to_string(ranks) + " ranks",
                      "worker; module on one or two ranks");
  // Groups with batches of their own are nodes of one worker in every plan.
  const bool may_grow = plans_groups_anew(spec, plan);
  const auto is_spread = [may_grow](const WorkerGroup& group) {
    return group.workers > 1 || (may_grow && group.max_batches.empty());
  };
  if (ranks > 2 && std::any_of(plan.groups.begin(), plan.groups.end(), is_spread))
    throw input_error(
        {queue.file, 0, "runtime"},
        "gpu on " + std::to_string(ranks) + " ranks for a system with one queue for several workers",
        "gpu on one or two ranks");
}

std::string why_no_exchange(const GpuParams& params) {
  if (params.exchange == ExchangeBy::kNccl && !traits_of(params.device).exchanges_nccl)
    return std::string("nccl with gpu.device = ") + name_of(params.device);
  if (!by_nccl(params)) return "";
  const DeviceModule* const module = device_module();
  if (module == nullptr || module->make_exchange == nullptr) return "nccl, which this build has not";
  return "";
}

std::unique_ptr<DeviceExchanges> make_cell_exchanges(const RunSpec& spec, const PreparedCell& prepared,
                                                     Transport& transport) {
  if (!by_nccl(prepared.settings.gpu)) return nullptr;
  auto exchanges = std::make_unique<DeviceExchanges>();
  const DeviceModule* const module = device_module();
  HARNESS_CHECK(module != nullptr && module->make_exchange != nullptr, "an exchange that was not checked");
  exchanges->make_channel_id = module->make_channel_id;
  const RankGpus gpus(spec, prepared, transport);
  for (int gpu = 0; gpu < gpus.count; ++gpu) {
    const auto self = static_cast<WorkerId>(gpus.first + gpu);
    exchanges->gpus.push_back(
        module->make_exchange(gpus.first_device + gpu, self, [&transport] { transport.interrupt(); }));
  }
  return exchanges;
}

std::unique_ptr<DeviceWorkers> CellDevices::take(const RunSpec& spec, const PreparedCell& prepared) {
  const TimeNs start_ns = steady_ns();
  const RankGpus gpus(spec, prepared, transport_);
  const GpuParams& params = prepared.settings.gpu;
  const std::vector<DeviceSpec> before = std::exchange(specs_, {});
  for (int gpu = 0; gpu < gpus.count; ++gpu)
    specs_.push_back({params.device, gpus.first_device + gpu, params.threads, gpus.first + gpu});
  if (specs_ != before) kept_.reset();
  const auto first_gpu = static_cast<std::uint32_t>(gpus.first);
  const DeviceWorkers::Models models{spec.pipeline,
                                     spec.profiles,
                                     static_cast<std::uint64_t>(params.weights_seed),
                                     spec.system->traits().preempts,
                                     largest_batches(spec, prepared.plan),
                                     watch_,
                                     params.precision};
  std::vector<std::string> loaded;
  std::unique_ptr<DeviceWorkers> workers = std::move(kept_);
  if (!workers || !workers->switch_to(models)) {
    workers = renewed(std::move(workers), models, first_gpu);
    if (!specs_.empty()) loaded = workers->loaded();
  }
  const auto took_ms = static_cast<int>((steady_ns() - start_ns) / kNsPerMs);
  loading_.ms = loaded.empty() ? -1 : took_ms;
  loading_.text = "loaded " + (loaded.empty() ? "nothing" : join_names(loaded)) + " in " +
                  std::to_string(took_ms) + " ms";
  return workers;
}

std::unique_ptr<DeviceWorkers> CellDevices::renewed(std::unique_ptr<DeviceWorkers> before,
                                                    DeviceWorkers::Models models, std::uint32_t first_gpu) {
  const std::vector<int> needed = models.largest_batches;
  if (before) models.largest_batches = before->batches_for_both(models);
  before.reset();  // its memory is for the new ones
  if (models.largest_batches != needed) {
    try {
      std::unique_ptr<DeviceWorkers> both = make(models, first_gpu);
      if (both->notes().empty()) return both;
    } catch (const DeviceError&) {  // it may come from what this cell does not need
    } catch (const CellFailed&) {
    }
    models.largest_batches = needed;
  }
  return make(models, first_gpu);
}

std::unique_ptr<DeviceWorkers> CellDevices::make(const DeviceWorkers::Models& models,
                                                 std::uint32_t first_gpu) {
  std::vector<std::unique_ptr<Device>> devices;
  for (const DeviceSpec& spec : specs_)
    devices.push_back(make_(spec, [&transport = transport_] { transport.interrupt(); }));
  auto workers = std::make_unique<DeviceWorkers>(std::move(devices), first_gpu, models);
  workers->try_batches(models.largest_batches);
  return workers;
}

void CellDevices::give_back(std::unique_ptr<DeviceWorkers> workers) {
  if (!workers) return;
  try {
    workers->settle();
    kept_ = std::move(workers);
  } catch (const DeviceError&) {  // the next cell gets new ones
  } catch (const CellFailed&) {
  }
}

std::string longest_loading(const CellDevices::Loading& own, CellDistribution& ranks) {
  RankReport report;
  report.message = own.text;
  report.value = own.ms;
  const std::vector<RankReport> all = ranks.gather(report);
  const auto is_faster = [](const RankReport& a, const RankReport& b) { return a.value < b.value; };
  return all.empty() ? "" : std::max_element(all.begin(), all.end(), is_faster)->message;
}

std::string profile_fault(DeviceWorkers& workers, const RunSpec& spec, const PreparedCell& prepared,
                          const ProfileCheck& look) {
  constexpr int kRounds = 7;
  const double limit = prepared.settings.gpu.profile_error_limit;
  if (limit <= 0) return "";
  const std::vector<int> batches = largest_batches(spec, prepared.plan);
  const TimeNs until_ns = steady_ns() + look.wait_ns;
  double slowdown = 0;
  do {
    slowdown = workers.slowdown(spec.pipeline, spec.profiles, batches, kRounds, look.check_signal);
    if (std::abs(slowdown - 1) <= limit) return "";
  } while (steady_ns() < until_ns);
  return std::string("batches alone on a device took ") + text_of(std::round(100 * slowdown) / 100) +
         " times the profiles' latency " + look.when +
         " the load, beyond gpu.profile_error_limit = " + text_of(limit);
}

}  // namespace harness
