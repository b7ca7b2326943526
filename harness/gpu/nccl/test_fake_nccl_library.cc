#include "harness/gpu/nccl/test_fake_nccl_library.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness/gpu/cuda/test_fake_cuda.h"

namespace harness::fake_nccl {
namespace {

/// The number of looks at a communicator that find a call still in progress: its joining, or its first
/// operation with a peer.
constexpr int kLooksInProgress = 2;

/// A send that waits for its receive.
struct Offer {
  const void* bytes = nullptr;
  std::size_t count = 0;
  bool is_taken = false;
};

struct Member {
  int device = 0;
  bool is_aborted = false;
};

/// The state that the members of a communicator share.
struct Group {
  int size = 0;
  std::map<int, Member> members;  ///< members that have joined, by rank
  std::map<std::pair<int, int>, std::deque<std::shared_ptr<Offer>>> offers;  ///< offers by (from, to)
  bool is_broken = false;  ///< true if a member has gone or was refused
};

}  // namespace
}  // namespace harness::fake_nccl

// NOLINTNEXTLINE(readability-identifier-naming): NCCL's name
struct ncclComm {
  std::shared_ptr<harness::fake_nccl::Group> group;
  int rank = 0;
  int looks = harness::fake_nccl::kLooksInProgress;  ///< number of looks left that find a call in progress
  std::map<int, bool> has_met;                       ///< true for peers with which it has had an operation
  ncclResult_t result = ncclSuccess;                 ///< result of the calls; once an error, it stays
};

namespace harness::fake_nccl {
namespace {

// Used under the runtime's lock (fake_cuda::locked).
std::map<std::string, std::shared_ptr<Group>>& groups = *new std::map<std::string, std::shared_ptr<Group>>;
std::map<std::string, std::pair<ncclResult_t, int>, std::less<>>& failures =
    *new std::map<std::string, std::pair<ncclResult_t, int>, std::less<>>;
int communicators = 0;
int ids = 0;

/// A send or receive of an operation. In a group all offers (of sends) come before the receives.
struct Step {
  ncclComm* communicator = nullptr;
  cudaStream_t stream = nullptr;
  int peer = 0;
  const void* from = nullptr;  ///< bytes of a send
  void* to = nullptr;          ///< target of a receive
  std::size_t count = 0;
};
thread_local int group_depth = 0;
thread_local std::vector<Step> grouped;

ncclResult_t take_failure(std::string_view name) {
  ncclResult_t result = ncclSuccess;
  fake_cuda::locked([&] {
    const auto found = failures.find(name);
    if (found == failures.end() || found->second.second-- > 0) return;
    result = found->second.first;
    failures.erase(found);
  });
  return result;
}

/// True if an operation of this member need not wait any more.
bool is_over(const std::shared_ptr<Group>& group, int rank) { return group->members[rank].is_aborted; }

cudaError_t enqueue_send(const Step& step, const std::shared_ptr<Offer>& offer) {
  const std::shared_ptr<Group> group = step.communicator->group;
  const int rank = step.communicator->rank;
  return fake_cuda::enqueue("ncclSend", step.stream, {step.from}, [=, peer = step.peer] {
    if (!fake_cuda::is_usable(offer->bytes, offer->count)) return cudaErrorIllegalAddress;
    fake_cuda::locked([&] {
      if (!is_over(group, rank)) group->offers[{rank, peer}].push_back(offer);
    });
    return cudaSuccess;
  });
}

cudaError_t enqueue_end_of_send(const Step& step, const std::shared_ptr<Offer>& offer) {
  const std::shared_ptr<Group> group = step.communicator->group;
  const int rank = step.communicator->rank;
  return fake_cuda::enqueue(
      "ncclSend ends", step.stream, {step.from}, [] { return cudaSuccess; },
      [=] { return offer->is_taken || is_over(group, rank); });
}

cudaError_t enqueue_receive(const Step& step) {
  const std::shared_ptr<Group> group = step.communicator->group;
  const int rank = step.communicator->rank;
  const auto error = std::make_shared<cudaError_t>(cudaSuccess);
  // The receive takes place as a whole, under the lock: after an abort nobody reads memory that is gone.
  const auto is_done = [=, to = step.to, count = step.count, ends = std::pair(step.peer, rank)] {
    std::deque<std::shared_ptr<Offer>>& offers = group->offers[ends];
    if (is_over(group, rank)) return true;
    if (offers.empty()) return false;
    if (fake_cuda::is_usable(to, count) && offers.front()->count == count)
      std::memcpy(to, offers.front()->bytes, count);
    else
      *error = cudaErrorIllegalAddress;
    offers.front()->is_taken = true;
    offers.pop_front();
    return true;
  };
  return fake_cuda::enqueue(
      "ncclRecv", step.stream, {step.to}, [error] { return *error; }, is_done);
}

ncclResult_t enqueue(const std::vector<Step>& steps) {
  std::vector<std::pair<Step, std::shared_ptr<Offer>>> sends;
  bool well = true;
  for (const Step& step : steps) {
    if (step.from == nullptr) continue;
    sends.emplace_back(step, std::make_shared<Offer>(Offer{step.from, step.count, false}));
    well = well && enqueue_send(step, sends.back().second) == cudaSuccess;
  }
  for (const Step& step : steps)
    if (step.to != nullptr) well = well && enqueue_receive(step) == cudaSuccess;
  for (const auto& [step, offer] : sends) well = well && enqueue_end_of_send(step, offer) == cudaSuccess;
  return well ? ncclSuccess : ncclUnhandledCudaError;
}

/// Adds a send or receive: enqueues it at once, or with its group.
ncclResult_t add(const char* name, const Step& step) {
  const ncclResult_t failed = take_failure(name);
  if (failed != ncclSuccess) return failed;
  if (group_depth > 0) {
    grouped.push_back(step);
    return ncclSuccess;
  }
  const ncclResult_t result = enqueue({step});
  bool in_progress = false;
  fake_cuda::locked([&] {
    if (result != ncclSuccess) step.communicator->result = result;
    in_progress = !std::exchange(step.communicator->has_met[step.peer], true);
    if (in_progress) step.communicator->looks = kLooksInProgress;
  });
  return result == ncclSuccess && in_progress ? ncclInProgress : result;
}

}  // namespace

void fail(std::string_view name, ncclResult_t result, int skip) {
  fake_cuda::locked([&] { failures[std::string(name)] = {result, skip}; });
}

int reset() {
  int count = 0;
  fake_cuda::locked([&] {
    failures.clear();
    groups.clear();
    count = std::exchange(communicators, 0);
  });
  return count;
}

}  // namespace harness::fake_nccl

using namespace harness::fake_nccl;  // NOLINT: the functions below are this file's end
namespace fake_cuda = harness::fake_cuda;

extern "C" {

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  const ncclResult_t failed = take_failure("ncclGetUniqueId");
  if (failed != ncclSuccess) return failed;
  *id = {};
  fake_cuda::locked(
      [&] { std::strncpy(id->internal, std::to_string(++ids).c_str(), sizeof id->internal - 1); });
  return ncclSuccess;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* communicator, int size, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
  if (config->blocking != 0) return ncclInvalidArgument;
  const ncclResult_t failed = take_failure("ncclCommInitRankConfig");
  if (failed != ncclSuccess) return failed;
  int device = 0;
  cudaGetDevice(&device);
  fake_cuda::locked([&] {
    std::shared_ptr<Group>& group = groups[id.internal];
    if (!group) group = std::make_shared<Group>(Group{size, {}, {}, false});
    for (const auto& [other, member] : group->members)
      if (member.device == device) group->is_broken = true;  // NCCL does the same: "Duplicate GPU detected"
    group->members[rank] = {device, false};
    *communicator = new ncclComm;
    (*communicator)->group = group;
    (*communicator)->rank = rank;
    ++communicators;
  });
  return ncclInProgress;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* result) {
  const ncclResult_t failed = take_failure("ncclCommGetAsyncError");
  fake_cuda::locked([&] {
    const Group& group = *communicator->group;
    const int device = group.members.at(communicator->rank).device;
    const bool has_all = group.members.size() == static_cast<std::size_t>(group.size);
    if (failed != ncclSuccess)
      communicator->result = failed;
    else if (fake_cuda::is_lost(device))
      communicator->result = ncclUnhandledCudaError;
    else if (group.is_broken && communicator->result == ncclSuccess)
      communicator->result = has_all ? ncclRemoteError : ncclInvalidUsage;
    *result = communicator->result;
    if (*result == ncclSuccess && (!has_all || communicator->looks-- > 0)) *result = ncclInProgress;
  });
  return ncclSuccess;
}

ncclResult_t ncclSend(const void* from, std::size_t count, ncclDataType_t, int peer, ncclComm_t communicator,
                      cudaStream_t stream) {
  return add("ncclSend", {communicator, stream, peer, from, nullptr, count});
}

ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t, int peer, ncclComm_t communicator,
                      cudaStream_t stream) {
  return add("ncclRecv", {communicator, stream, peer, nullptr, to, count});
}

ncclResult_t ncclGroupStart() {
  ++group_depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  if (--group_depth > 0) return ncclSuccess;
  return enqueue(std::exchange(grouped, {}));
}

ncclResult_t ncclCommAbort(ncclComm_t communicator) {
  fake_cuda::locked([&] {
    Group& group = *communicator->group;
    group.members.at(communicator->rank).is_aborted = true;
    group.is_broken = true;
    for (auto& [ends, offers] : group.offers)
      if (ends.first == communicator->rank) offers.clear();
    --communicators;
    delete communicator;
  });
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclUnhandledCudaError:
      return "unhandled cuda error";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    case ncclInvalidUsage:
      return "invalid usage";
    default:
      return "an error of the fake NCCL";
  }
}

const char* ncclGetLastError(ncclComm_t) { return "no more is known"; }

}  // extern "C"
