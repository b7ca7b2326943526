// The totals of an MPI rank over a live run.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "harness/core/types.h"

namespace harness {

/// The totals of one rank of a live run.
struct RankTotals {
  std::uint32_t rank = 0;
  std::string host;
  std::uint32_t workers = 0;  ///< number of GPUs of the cluster that it hosts
  std::string devices;        ///< names of them: "cuda:0 NVIDIA H200, cuda:1 NVIDIA H200"; "": timers
  std::string driver;         ///< version of NVIDIA's driver there; "": it plays no part
  std::uint64_t messages_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t packets_sent = 0;  ///< packets, each with the messages of a loop turn to one destination
  std::uint64_t loop_turns = 0;
  std::uint64_t sleeps = 0;
  TimeNs cpu_ns = 0;            ///< processor time of its thread during the run
  TimeNs clock_offset_ns = 0;   ///< last estimate: its clock less rank 0's
  TimeNs clock_bound_ns = 0;    ///< the largest error that the estimates may have had
  TimeNs delivery_p50_ns = -1;  ///< median time from rank 0's sending a visit until it is handled here
  TimeNs delivery_p99_ns = -1;  ///< 99th percentile of these times; -1: no visit came
  TimeNs due_late_p99_ns = -1;  ///< 99th percentile of the delays of due events (ends, timers); -1: none
  TimeNs due_late_max_ns = 0;   ///< largest of these delays
  // Tensors of the visits that its workers ran; the counts are 0 without payload.
  std::uint64_t tensor_handle_bytes = 0;   ///< bytes that this rank kept itself
  std::uint64_t tensor_message_bytes = 0;  ///< bytes that came from other workers' ranks
  std::uint64_t tensor_device_bytes = 0;   ///< bytes that came from other workers' ranks, from GPU to GPU
  std::uint64_t tensor_waits = 0;          ///< batches that had to wait for tensors
  TimeNs tensor_wait_p99_ns = -1;          ///< 99th percentile of these waits; -1: no batch had to wait
  TimeNs tensor_wait_max_ns = -1;          ///< longest of these waits; -1: no batch had to wait
  std::uint64_t tensors_left = 0;  ///< tensors in its store at the end: not 0 if some were not released

  static void list(auto& row, auto&& column) {
    column("rank", row.rank);
    column("host", row.host);
    column("workers", row.workers);
    column("devices", row.devices);
    column("driver", row.driver);
    column("messages_sent", row.messages_sent);
    column("messages_received", row.messages_received);
    column("bytes_sent", row.bytes_sent);
    column("bytes_received", row.bytes_received);
    column("packets_sent", row.packets_sent);
    column("loop_turns", row.loop_turns);
    column("sleeps", row.sleeps);
    column("cpu_ns", row.cpu_ns);
    column("clock_offset_ns", row.clock_offset_ns);
    column("clock_bound_ns", row.clock_bound_ns);
    column("delivery_p50_ns", row.delivery_p50_ns);
    column("delivery_p99_ns", row.delivery_p99_ns);
    column("due_late_p99_ns", row.due_late_p99_ns);
    column("due_late_max_ns", row.due_late_max_ns);
    column("tensor_handle_bytes", row.tensor_handle_bytes);
    column("tensor_message_bytes", row.tensor_message_bytes);
    column("tensor_device_bytes", row.tensor_device_bytes);
    column("tensor_waits", row.tensor_waits);
    column("tensor_wait_p99_ns", row.tensor_wait_p99_ns);
    column("tensor_wait_max_ns", row.tensor_wait_max_ns);
    column("tensors_left", row.tensors_left);
  }
};

/// Returns the devices as "8 x NVIDIA H200, driver 580.95.05", kinds and drivers in the order of the ranks;
/// "" if no rank has devices.
std::string devices_text(std::span<const RankTotals> ranks);

}  // namespace harness
