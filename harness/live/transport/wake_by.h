// The ways in which a sleeping rank learns of a packet.
#pragma once

#include <cstdint>

namespace harness {

/// The ways in which a sleeping rank learns that a packet was sent to it.
enum class WakeBy : std::uint8_t {
  kMemory,  ///< shared memory between ranks of a host, datagrams between hosts
  kSocket,  ///< datagrams; without a network the same as kPolling
  kPolling  ///< the rank asks every millisecond
};

}  // namespace harness
