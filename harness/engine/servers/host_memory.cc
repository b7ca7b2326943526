#include "harness/engine/servers/host_memory.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/core/check.h"

namespace harness {
namespace {

constexpr double kBytesPerMb = 1e6;

std::int64_t bytes_of(double mb) { return static_cast<std::int64_t>(std::llround(mb * kBytesPerMb)); }

}  // namespace

HostMemory::HostMemory(std::uint32_t servers, double capacity_mb, const std::vector<double>& module_mb)
    : capacity_(capacity_mb > 0 ? bytes_of(capacity_mb) : kUnlimited),
      used_(servers, 0),
      entries_(servers * module_mb.size()) {
  for (const double mb : module_mb) bytes_.push_back(bytes_of(mb));
}

double HostMemory::free_mb(std::uint32_t server) const {
  if (!is_limited()) return std::numeric_limits<double>::infinity();
  return static_cast<double>(capacity_ - used_[server]) / kBytesPerMb;
}

double HostMemory::missing_mb(std::uint32_t server, ModuleId module) const {
  const std::int64_t missing = used_[server] + bytes_[module] - capacity_;
  return static_cast<double>(std::max<std::int64_t>(missing, 0)) / kBytesPerMb;
}

bool HostMemory::could_fit(std::uint32_t server, ModuleId module) const {
  std::int64_t used = used_[server];
  for (ModuleId m = 0; m < bytes_.size(); ++m) {
    const Entry& other = entry(server, m);
    if (other.is_kept && other.sharer == kNone && other.starting == 0) used -= bytes_[m];
  }
  return used + bytes_[module] <= capacity_;
}

void HostMemory::enter(std::uint32_t server, ModuleId module, WorkerId worker, bool from_copy) {
  Entry& own = entry(server, module);
  HARNESS_CHECK(!from_copy || own.is_kept, "an instance starts from a copy that is not kept");
  HARNESS_CHECK_DECISION(missing_mb(server, module) == 0,
                         "an instance starts on a server without memory for it");
  own.instances.push_back({worker, false, from_copy});
  own.starting += from_copy ? 1 : 0;
  used_[server] += bytes_[module];
  check(server);
}

void HostMemory::on_loaded(std::uint32_t server, ModuleId module, WorkerId worker) {
  Entry& own = entry(server, module);
  for (Instance& instance : own.instances) {
    if (instance.worker != worker) continue;
    instance.is_loaded = true;
    own.starting -= instance.from_copy ? 1 : 0;
    instance.from_copy = false;
  }
}

bool HostMemory::leave(std::uint32_t server, ModuleId module, WorkerId worker) {
  Entry& own = entry(server, module);
  const auto found = std::find_if(own.instances.begin(), own.instances.end(),
                                  [worker](const Instance& one) { return one.worker == worker; });
  HARNESS_CHECK(found != own.instances.end(), "an instance leaves a server where it is not");
  const Instance left = *found;
  own.instances.erase(found);
  own.starting -= left.from_copy ? 1 : 0;
  if (own.sharer == worker)
    own.sharer = kNone;  // its pages stay and belong to the copy now
  else
    used_[server] -= bytes_[module];
  check(server);
  return left.is_loaded;
}

void HostMemory::keep(std::uint32_t server, ModuleId module, bool has_left) {
  Entry& own = entry(server, module);
  if (own.is_kept) return;
  const auto loaded = std::find_if(own.instances.begin(), own.instances.end(),
                                   [](const Instance& one) { return one.is_loaded; });
  HARNESS_CHECK_DECISION(has_left || loaded != own.instances.end(),
                         "a placement keeps parameters that are not in the server's memory");
  own.is_kept = true;
  own.sharer = loaded != own.instances.end() ? loaded->worker : kNone;
  if (own.sharer == kNone) {
    HARNESS_CHECK_DECISION(missing_mb(server, module) == 0, "a placement keeps more than memory holds");
    used_[server] += bytes_[module];
  }
  check(server);
}

void HostMemory::drop(std::uint32_t server, ModuleId module) {
  Entry& own = entry(server, module);
  HARNESS_CHECK_DECISION(own.is_kept, "a placement drops parameters that are not kept");
  HARNESS_CHECK_DECISION(own.starting == 0, "a placement drops parameters from which an instance starts");
  own.is_kept = false;
  if (own.sharer == kNone) used_[server] -= bytes_[module];
  own.sharer = kNone;
  check(server);
}

void HostMemory::lose(std::uint32_t server) {
  for (ModuleId module = 0; module < bytes_.size(); ++module) {
    if (entry(server, module).is_kept) drop(server, module);
  }
}

void HostMemory::check(std::uint32_t server) const {
  std::int64_t sum = 0;
  for (ModuleId module = 0; module < bytes_.size(); ++module) {
    const Entry& own = entry(server, module);
    const auto copies =
        static_cast<std::int64_t>(own.instances.size()) + (own.is_kept && own.sharer == kNone ? 1 : 0);
    sum += copies * bytes_[module];
    HARNESS_CHECK(own.is_kept || (own.sharer == kNone && own.starting == 0),
                  "parameters that are not kept are shared or read");
  }
  HARNESS_CHECK(sum == used_[server], "a server's memory is not the sum of what is there");
  HARNESS_CHECK(sum <= capacity_, "a server's memory holds more than there is");
}

}  // namespace harness
