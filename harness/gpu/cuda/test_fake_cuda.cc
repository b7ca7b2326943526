#include "harness/gpu/cuda/test_fake_cuda_runtime.h"

namespace harness::fake_cuda {

Runtime& runtime = *new Runtime;  // threads of streams may outlive main()

cudaError_t take_failure(std::string_view name) {
  const auto found = runtime.failures.find(name);
  if (found == runtime.failures.end() || found->second.skip-- > 0) return cudaSuccess;
  const cudaError_t error = found->second.error;
  runtime.failures.erase(found);
  return error;
}

std::shared_ptr<Block> block_of(const void* data) {
  const auto next = runtime.blocks.upper_bound(data);
  if (next == runtime.blocks.begin()) return nullptr;
  const std::shared_ptr<Block>& block = std::prev(next)->second;
  return block->holds(data, 0) ? block : nullptr;
}

void run_stream(CUstream_st* stream) {
  std::unique_lock lock(runtime.mutex);
  const auto may_go = [stream] {
    if (stream->queue.empty()) return stream->closes;
    const Work& work = stream->queue.front().first;
    if (runtime.held && (runtime.held->empty() || *runtime.held == work.name)) return false;
    return is_lost_now(stream->device) || !work.is_ready || work.is_ready();
  };
  for (;;) {
    runtime.changed.wait(lock, may_go);
    if (stream->queue.empty()) return;
    const Work work = stream->queue.front().first;  // the queue may grow meanwhile
    const cudaError_t failure = take_failure(work.name + " runs");
    if (failure != cudaSuccess) lost_error(stream->device) = failure;
    if (work.always || !is_lost_now(stream->device)) {
      lock.unlock();
      const cudaError_t error = work.run();
      lock.lock();
      if (error != cudaSuccess) lost_error(stream->device) = error;
    }
    for (const std::shared_ptr<Block>& block : stream->queue.front().second) --block->queued;
    stream->queue.pop_front();
    runtime.changed.notify_all();
  }
}

void push(CUstream_st* stream, const Work& work) {
  Blocks blocks;
  for (const void* name : work.names)
    if (std::shared_ptr<Block> block = block_of(name)) blocks.push_back(std::move(block));
  for (const std::shared_ptr<Block>& block : blocks) ++block->queued;
  stream->queue.emplace_back(work, std::move(blocks));
  runtime.changed.notify_all();
}

cudaError_t add(CUstream_st* stream, Work work) {
  if (!runtime.streams.contains(stream)) return cudaErrorInvalidResourceHandle;
  if (stream->capture != nullptr)
    stream->capture->works.push_back(std::move(work));
  else
    push(stream, work);
  return cudaSuccess;
}

cudaError_t allocate(void** data, int device, std::size_t bytes, bool is_ready) {
  std::size_t used = 0;
  for (const auto& [at, block] : runtime.blocks)
    if (block->device == device) used += block->bytes;
  if (bytes > kDeviceBytes - used) return cudaErrorMemoryAllocation;
  auto block = std::make_shared<Block>(device, bytes, is_ready);
  *data = block->data();
  runtime.blocks.emplace(*data, std::move(block));
  return cudaSuccess;
}

void deallocate(const void* data) {
  const auto found = runtime.blocks.find(data);
  if (found == runtime.blocks.end()) {
    runtime.faults.emplace_back("memory freed that is not there");
    return;
  }
  const std::shared_ptr<Block> block = found->second;
  const std::string bytes = std::to_string(block->bytes) + " bytes";
  if (block->queued > 0) runtime.faults.push_back(bytes + " freed while work that names them was queued");
  if (!block->is_whole()) runtime.faults.push_back("a guard of " + bytes + " was overwritten");
  runtime.blocks.erase(found);
}

std::vector<std::string> reset() {
  const std::unique_lock lock(runtime.mutex);
  if (alive() > 0) runtime.faults.push_back(std::to_string(alive()) + " objects were left behind");
  runtime.held.reset();
  runtime.lost = {};
  runtime.failures.clear();
  runtime.calls.clear();
  runtime.changed.notify_all();
  return std::exchange(runtime.faults, {});
}

void fail(std::string_view name, cudaError_t error, int skip) {
  const std::unique_lock lock(runtime.mutex);
  runtime.failures[std::string(name)] = {error, skip};
}

void lose(int device, cudaError_t error) {
  locked([&] { lost_error(device) = error; });
}

void hold(std::string_view name) {
  locked([&] { runtime.held = name; });
}

void release() {
  locked([] { runtime.held.reset(); });
}

int calls(std::string_view name) {
  const std::unique_lock lock(runtime.mutex);
  return runtime.calls[std::string(name)];
}

std::vector<std::string> called() {
  const std::unique_lock lock(runtime.mutex);
  std::vector<std::string> names;
  for (const auto& [name, count] : runtime.calls) names.push_back(name);
  return names;
}

int timed_records(cudaStream_t stream) {
  const std::unique_lock lock(runtime.mutex);
  return stream->timed_records;
}

std::size_t alive() {
  const std::unique_lock lock(runtime.mutex);
  return runtime.blocks.size() + runtime.streams.size() + runtime.others;
}

bool is_usable(const void* data, std::size_t bytes) {
  const std::unique_lock lock(runtime.mutex);
  const std::shared_ptr<Block> block = block_of(data);
  return block && block->is_ready && block->holds(data, bytes);
}

cudaError_t enqueue(std::string_view name, cudaStream_t stream, std::vector<const void*> names,
                    std::function<cudaError_t()> run, std::function<bool()> is_ready) {
  const std::string call_name(name);
  return call(call_name.c_str(), kHost, [&] {
    if (runtime.streams.contains(stream) && is_lost_now(stream->device)) return lost_error(stream->device);
    return add(stream, {call_name, std::move(names), std::move(run), std::move(is_ready), false});
  });
}

void locked(const std::function<void()>& change) {
  const std::unique_lock lock(runtime.mutex);
  change();
  runtime.changed.notify_all();
}

bool is_lost(int device) {
  const std::unique_lock lock(runtime.mutex);
  return is_lost_now(device);
}

}  // namespace harness::fake_cuda
