// An NCCL for tests on machines without a GPU, over the devices of harness/gpu/cuda/test_fake_cuda.h: the
// members of a communicator are threads of one process. It needs only nccl.h of NCCL.
//
// It behaves like NCCL in these points: non-blocking calls are in progress for a while, sends and receives
// meet in order and hold their streams until then, calls can be aborted, members hear of another's end, and
// two members on one device are refused. It does not prove anything about time, about more than one process
// or host, or about which of its threads a real NCCL uses when.
#pragma once

#include <nccl.h>

#include <string_view>

namespace harness::fake_nccl {

/// Makes a call of the function `name` fail with this result once, after `skip` calls that succeed. Any
/// thread may call it.
void fail(std::string_view name, ncclResult_t result, int skip = 0);
/// Forgets failures that have not happened; returns the number of communicators that were left behind.
int reset();

}  // namespace harness::fake_nccl
