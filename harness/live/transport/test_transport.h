// For tests: several ranks in one process, over a network that loses, repeats and delays packets as told.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "harness/core/check.h"
#include "harness/core/random_stream.h"
#include "harness/live/transport/loopback.h"
#include "harness/live/transport/packet_builder.h"
#include "harness/live/transport/packet_header.h"
#include "harness/live/transport/sequence_check.h"
#include "harness/live/transport/transport.h"
#include "harness/machine/steady_clock.h"

namespace harness {

/// The faults of the network between two different ranks; a rank's messages to itself are spared.
struct TestFaults {
  double lose = 0;         ///< share of packets that vanish
  double repeat = 0;       ///< share of packets that arrive twice
  TimeNs delay_ns = 0;     ///< each packet takes this long ...
  TimeNs jitter_ns = 0;    ///< ... and up to this much more, yet packets of a pair never overtake each other
  bool hand_over = false;  ///< hands repeated packets over, as a transport without numbers would
  std::uint64_t seed = 1;
  /// Returns how many times one message is sent: 0 loses it, 2 repeats it to the receiver, unnoticed by any
  /// transport.
  std::function<int(int from, int to, std::span<const std::byte> message)> copies = nullptr;
};

/// Returns delays of a few milliseconds; nothing is lost.
inline TestFaults random_delays(RandomStream& random) {
  TestFaults faults;
  faults.delay_ns = static_cast<TimeNs>(random.below(3) * kNsPerMs);
  faults.jitter_ns = static_cast<TimeNs>(random.below(5) * kNsPerMs);
  faults.seed = random.bits();
  return faults;
}

/// The network between ranks in one process, with the packets and the checks of the real transport. Each
/// rank's transport is used by one thread at a time; the transports of different ranks may be used by
/// different threads.
class TestNetwork {
 public:
  /// Runs in real time: wait_until() sleeps, for ranks that have a thread each.
  explicit TestNetwork(int ranks, TestFaults faults = {})
      : TestNetwork(ranks, std::move(faults), steady_ns, true) {}
  /// Is stepped by hand: `clock` tells the time and wait_until() returns at once.
  TestNetwork(int ranks, TestFaults faults, std::function<TimeNs()> clock)
      : TestNetwork(ranks, std::move(faults), std::move(clock), false) {}

  Transport& at(int rank) { return *ranks_[static_cast<std::size_t>(rank)]; }

  /// Returns the time at which the next packet under way arrives, or kNever.
  TimeNs next_arrival_ns() {
    const std::lock_guard lock(mutex_);
    TimeNs next = kNever;
    for (const auto& rank : ranks_) next = std::min(next, rank->next_arrival_ns());
    return next;
  }

  /// The numbers of packets that the network has lost and repeated so far.
  std::uint64_t lost() const { return lost_; }
  std::uint64_t repeated() const { return repeated_; }

 private:
  struct Packet {
    int from;
    TimeNs at_ns;
    std::vector<std::byte> bytes;
  };

  class Rank final : public Transport {
   public:
    Rank(TestNetwork& network, int rank, int ranks)
        : network_(network),
          rank_(rank),
          loopback_(rank, counters_),
          out_(static_cast<std::size_t>(ranks)),
          sequence_(static_cast<std::size_t>(ranks)),
          checks_(static_cast<std::size_t>(ranks)),
          gpu_sets_(static_cast<std::size_t>(ranks)) {
      std::iota(gpu_sets_.begin(), gpu_sets_.end(), 0);
    }

    int rank() const override { return rank_; }
    int ranks() const override { return static_cast<int>(out_.size()); }

    void send(int to, std::span<const std::byte> message, std::span<const std::byte> rest) override {
      HARNESS_CHECK(to >= 0 && to < ranks(), "a message to a rank that does not exist");
      if (to == rank_) return loopback_.send(message, rest);
      ++counters_.messages_sent;
      counters_.bytes_sent += message.size() + rest.size();
      const int copies = network_.faults_.copies ? network_.faults_.copies(rank_, to, message) : 1;
      for (int i = 0; i < copies; ++i) out_[static_cast<std::size_t>(to)].add(message, rest);
    }

    std::span<const std::uint64_t> gpu_sets() const override { return gpu_sets_; }

    void flush() override {
      loopback_.flush();
      for (std::size_t to = 0; to < out_.size(); ++to) {
        if (out_[to].empty()) continue;
        ++counters_.packets_sent;
        network_.carry(rank_, static_cast<int>(to), out_[to].finish(sequence_[to]++, {}));
      }
    }

    std::size_t receive(const TakeMessage& take) override {
      std::size_t count = loopback_.receive(take);
      for (auto left = network_.arrived(*this); left > 0; --left) count += unpack(network_.pop(*this), take);
      return count;
    }

    void wait_until(TimeNs deadline_ns) override {
      if (loopback_.arrived() || !network_.sleeps_) return;
      ++counters_.sleeps;
      std::unique_lock lock(network_.mutex_);
      const TimeNs end_ns = std::min({deadline_ns, next_arrival_ns(), steady_ns() + kNsPerS});
      const std::chrono::nanoseconds left(end_ns - steady_ns());
      if (left.count() > 0 && !interrupted_) network_.sent_.wait_for(lock, left);
      interrupted_ = false;
    }

    void interrupt() override {
      const std::lock_guard lock(network_.mutex_);
      interrupted_ = true;
      network_.sent_.notify_all();
    }

    const TransportCounters& counters() const override { return counters_; }

    /// Returns the time at which the next packet arrives. The caller holds the network's mutex.
    TimeNs next_arrival_ns() const { return inbox_.empty() ? kNever : inbox_.front().at_ns; }

   private:
    friend class TestNetwork;

    std::size_t unpack(const Packet& packet, const TakeMessage& take) {
      PacketHeader header;
      HARNESS_CHECK(check_packet(packet.bytes, header) == PacketFault::kNoFault, "a damaged packet");
      SequenceCheck& check = checks_[static_cast<std::size_t>(packet.from)];
      const std::uint64_t lost = check.lost();
      const bool is_new = check.accept(header.sequence);
      counters_.packets_lost += check.lost() - lost;
      ++counters_.packets_received;
      if (!is_new) ++counters_.packets_repeated;
      if (!is_new && !network_.faults_.hand_over) return 0;
      std::size_t count = 0;
      for_each_message(packet.bytes, [&](std::span<const std::byte> message) {
        ++count;
        ++counters_.messages_received;
        counters_.bytes_received += message.size();
        take(packet.from, message);
      });
      return count;
    }

    TestNetwork& network_;
    int rank_;
    TransportCounters counters_;
    Loopback loopback_;
    std::vector<PacketBuilder> out_;
    std::vector<std::uint64_t> sequence_;
    std::vector<SequenceCheck> checks_;
    std::vector<std::uint64_t> gpu_sets_;  ///< each rank sees GPUs of its own
    bool interrupted_ = false;
    std::deque<Packet> inbox_;  ///< packets sorted by time, then as sent
  };

  TestNetwork(int ranks, TestFaults faults, std::function<TimeNs()> clock, bool sleeps)
      : faults_(std::move(faults)),
        clock_(std::move(clock)),
        sleeps_(sleeps),
        last_ns_(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks)) {
    for (std::size_t pair = 0; pair < last_ns_.size(); ++pair)
      random_.emplace_back(faults_.seed, "test_transport", pair);
    for (int rank = 0; rank < ranks; ++rank) ranks_.push_back(std::make_unique<Rank>(*this, rank, ranks));
  }

  void carry(int from, int to, std::vector<std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    const std::size_t pair = static_cast<std::size_t>(from) * ranks_.size() + static_cast<std::size_t>(to);
    RandomStream& random = random_[pair];
    const bool lose = random.uniform() < faults_.lose;
    const bool repeat = random.uniform() < faults_.repeat;
    const auto jitter_ns = static_cast<TimeNs>(random.uniform() * static_cast<double>(faults_.jitter_ns));
    if (lose) {
      ++lost_;
      return;
    }
    Rank& receiver = *ranks_[static_cast<std::size_t>(to)];
    TimeNs& last_ns = last_ns_[pair];
    last_ns = std::max(last_ns, clock_() + faults_.delay_ns + jitter_ns);
    for (int copies = repeat ? 2 : 1; copies > 0; --copies) {
      const auto place =
          std::upper_bound(receiver.inbox_.begin(), receiver.inbox_.end(), last_ns,
                           [](TimeNs at_ns, const Packet& packet) { return at_ns < packet.at_ns; });
      receiver.inbox_.insert(place, Packet{from, last_ns, bytes});
    }
    if (repeat) ++repeated_;
    sent_.notify_all();
  }

  /// Returns the number of packets that have arrived for the rank.
  std::size_t arrived(const Rank& rank) {
    const std::lock_guard lock(mutex_);
    const auto& inbox = rank.inbox_;
    const TimeNs now_ns = clock_();
    return static_cast<std::size_t>(
        std::find_if(inbox.begin(), inbox.end(),
                     [now_ns](const Packet& packet) { return packet.at_ns > now_ns; }) -
        inbox.begin());
  }

  Packet pop(Rank& rank) {
    const std::lock_guard lock(mutex_);
    Packet packet = std::move(rank.inbox_.front());
    rank.inbox_.pop_front();
    return packet;
  }

  TestFaults faults_;
  std::function<TimeNs()> clock_;
  bool sleeps_;
  std::vector<RandomStream> random_;  ///< random stream of each pair, so that threads do not disturb each
                                      ///< other's numbers
  std::uint64_t lost_ = 0;
  std::uint64_t repeated_ = 0;
  std::vector<TimeNs> last_ns_;  ///< time at which the last packet of each pair arrives
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::mutex mutex_;
  std::condition_variable sent_;
};

}  // namespace harness
