// An NCCL for tests on machines without a GPU, over the devices of harness/gpu/cuda/test_fake_cuda.h: the
// members of a communicator are threads of one process. It needs nccl.h and nothing else of NCCL.
//
// What it keeps of NCCL: non-blocking calls that are in progress for a while, sends and receives that meet in
// order and hold their streams until then, aborts, members that hear of another's end, and that two members
// on one device are refused. What it does not prove: anything about time, about more than one process or
// host, or about which of its threads a real NCCL uses when.
#pragma once

#include <nccl.h>

#include <string_view>

namespace harness::fake_nccl {

/// The call of that name fails with this once, after `skip` calls of it that do not. Any thread.
void fail(std::string_view name, ncclResult_t result, int skip = 0);
/// Forgets failures that have not happened; returns how many communicators were left behind.
int reset();

}  // namespace harness::fake_nccl
