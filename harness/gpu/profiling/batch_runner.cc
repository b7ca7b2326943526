#include "harness/gpu/profiling/batch_runner.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include "harness/core/check.h"
#include "harness/core/environment_error.h"
#include "harness/core/random_stream.h"

namespace harness {
namespace {

constexpr TimeNs kLongestBatchNs = 600 * kNsPerS;
constexpr std::size_t kMaxImageBytes = std::size_t{256} << 20;

}  // namespace

TimeNs FinishedBatch::time_ns() const { return std::max<TimeNs>(1, end.ended_ns - end.started_ns); }

BatchRunner::BatchRunner(Device& device, DeviceWait& wait, int most, int height, int width,
                         std::uint64_t seed)
    : device_(device), wait_(wait) {
  const std::size_t image_bytes =
      std::size_t{3} * static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
  const std::size_t different =
      std::clamp<std::size_t>(kMaxImageBytes / image_bytes, 1, static_cast<std::size_t>(most));
  bytes_.resize(image_bytes * different);
  RandomStream random(seed, "pictures");
  for (std::uint8_t& byte : bytes_) byte = static_cast<std::uint8_t>(random.bits() >> 56);
  for (std::size_t i = 0; i < static_cast<std::size_t>(most); ++i)
    images_.push_back({std::span(bytes_).subspan(i % different * image_bytes, image_bytes), height, width});
}

void BatchRunner::submit(DeviceModel model, int batch, FinishedBatch& finished) {
  finished.end.tag = next_tag_++;
  finished.submitted_ns = wait_.now_ns();
  device_.submit(finished.end.tag, model, std::span(images_).first(static_cast<std::size_t>(batch)));
}

bool BatchRunner::take(FinishedBatch& finished) {
  ended_.clear();
  if (!device_.take(ended_)) return false;
  finished.taken_ns = wait_.now_ns();
  HARNESS_CHECK(ended_.size() == 1 && ended_.front().tag == finished.end.tag, "the end of another batch");
  finished.end = ended_.front();
  return true;
}

void BatchRunner::finish(FinishedBatch& finished, int batch) {
  const TimeNs deadline_ns = wait_.now_ns() + kLongestBatchNs;
  while (!take(finished)) {
    if (wait_.now_ns() >= deadline_ns) {
      throw EnvironmentError("device " + device_.name() + ": a batch of " + std::to_string(batch) +
                             " has not ended within ten minutes");
    }
    wait_.wait_for_device(deadline_ns);
  }
}

FinishedBatch BatchRunner::run(DeviceModel model, int batch) {
  FinishedBatch finished;
  submit(model, batch, finished);
  finish(finished, batch);
  return finished;
}

FinishedBatch BatchRunner::run_preempted(DeviceModel model, int batch, TimeNs after_ns) {
  FinishedBatch finished;
  submit(model, batch, finished);
  wait_.sleep_until(finished.submitted_ns + after_ns);
  if (take(finished)) return finished;
  finished.asked_ns = wait_.now_ns();
  device_.preempt(finished.end.tag);
  finish(finished, batch);
  return finished;
}

}  // namespace harness
