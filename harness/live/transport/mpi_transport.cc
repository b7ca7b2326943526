#include "harness/live/transport/mpi_transport.h"

// The C interface only.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <dlfcn.h>
#include <mpi.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/check.h"
#include "harness/core/environment_error.h"
#include "harness/live/transport/local_transport.h"
#include "harness/live/transport/loopback.h"
#include "harness/live/transport/packet_builder.h"
#include "harness/live/transport/packet_header.h"
#include "harness/live/transport/sequence_check.h"
#include "harness/live/transport/shared_board.h"
#include "harness/live/transport/wake_socket.h"
#include "harness/machine/steady_clock.h"
#include "harness/machine/visible_gpus.h"

namespace harness {
namespace {

constexpr int kTag = 1;
/// A packet that has grown to this many bytes is sent before the flush.
constexpr std::size_t kFullPacket = std::size_t{8} << 20;
/// The number of packets that one receive() takes, limited so that a busy rank's timers get their turn.
constexpr int kPacketsAtOnce = 256;
/// The number of answers "no packet" that count. Open MPI answers whether a packet has come, and only then
/// looks at the network.
constexpr int kMisses = 2;
/// The number of buffers kept for later packets.
constexpr std::size_t kSpareBuffers = 128;
/// The largest packet, in bytes, that comes as a whole. Larger ones may come in pieces, for which their
/// sender must call MPI.
constexpr int kComesAtOnce = 3000;
/// The shortest and the longest time between two questions to MPI while something is under way (a datagram
/// was faster than its packet, or a packet has left or come in part). The time doubles from question to
/// question.
constexpr TimeNs kFirstPollNs = 50 * kNsPerUs;
constexpr TimeNs kLastPollNs = kNsPerMs;
/// The time between two questions to MPI of a rank that nobody can wake.
constexpr TimeNs kPollAloneNs = kNsPerMs;
/// The longest time for which a transport that is destroyed waits for the others.
constexpr TimeNs kLongestLeaveNs = 10 * kNsPerS;

void wait_without_spinning(MPI_Request request) {
  constexpr timespec kPause{0, 200'000};
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    clock_nanosleep(CLOCK_MONOTONIC, 0, &kPause, nullptr);
  }
}

template <class Value>
std::vector<Value> gather_all(const Value& mine, int ranks, MPI_Comm comm) {
  std::vector<Value> all(static_cast<std::size_t>(ranks));
  constexpr int kBytes = static_cast<int>(sizeof(Value));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(&mine, kBytes, MPI_BYTE, all.data(), kBytes, MPI_BYTE, comm, &request);
  wait_without_spinning(request);
  return all;
}

/// While an object lives, Open MPI does not give up the processor each time it is asked and has nothing to
/// do. Open MPI would do so if there are more ranks than processors, and a late request would wait for
/// another rank's turn.
class NoYielding {
 public:
  NoYielding() : before_(set(false)) {}
  ~NoYielding() { set(before_); }
  NoYielding(const NoYielding&) = delete;
  NoYielding& operator=(const NoYielding&) = delete;

 private:
  /// Returns what was set before. The function is no part of MPI's interface; other implementations lack it.
  static bool set(bool yields) {
    static const auto kFunction =
        reinterpret_cast<bool (*)(bool)>(dlsym(RTLD_DEFAULT, "opal_progress_set_yield_when_idle"));
    return kFunction != nullptr && kFunction(yields);
  }
  bool before_;
};

class MpiTransport final : public Transport {
 public:
  MpiTransport(MPI_Comm comm, WakeBy by);
  ~MpiTransport() override;

  int rank() const override { return rank_; }
  int ranks() const override { return static_cast<int>(peers_.size()); }
  void send(int to, std::span<const std::byte> message, std::span<const std::byte> rest) override;
  void flush() override;
  std::size_t receive(const TakeMessage& take) override;
  void wait_until(TimeNs deadline_ns) override;
  void interrupt() override;
  std::span<const std::uint64_t> gpu_sets() const override { return gpu_sets_; }
  const TransportCounters& counters() const override { return counters_; }

 private:
  /// Another rank.
  struct Peer {
    PacketBuilder collected;
    std::uint64_t sent = 0;       ///< packets
    std::uint64_t received = 0;   ///< packets
    std::uint64_t announced = 0;  ///< number of packets that its datagrams announced
    SequenceCheck check;
    WakeSocket::Address address;
    bool touched = false;  ///< true if it is in touched_
    bool blocked = false;  ///< true if an earlier packet from it is not whole yet
  };
  /// A packet that is being sent or received.
  struct Passage {
    int peer;
    MPI_Request request;
    std::vector<std::byte> packet;
    bool done() {
      int flag = 0;
      MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      return flag != 0;
    }
  };

  const Peer& peer(int rank) const { return peers_[static_cast<std::size_t>(rank)]; }
  Peer& peer(int rank) { return peers_[static_cast<std::size_t>(rank)]; }
  void post(int to);
  void finish_sends();
  std::size_t finish_receives(const TakeMessage& take);
  bool begin_receive(std::size_t& messages, const TakeMessage& take);
  std::size_t unpack(int from, std::span<const std::byte> packet, const TakeMessage& take);
  std::vector<std::byte> spare();
  void recycle(std::vector<std::byte> packet);
  std::uint64_t announced(int from) const;
  std::uint64_t all_announced() const;
  bool wake(int to);
  bool something_under_way() const;
  bool sleep(TimeNs deadline_ns, TimeNs longest_ns);
  void leave_together();

  MPI_Comm comm_;
  int rank_ = 0;
  TransportCounters counters_;
  std::vector<Peer> peers_;
  std::vector<int> touched_;  ///< ranks to which something was sent since the last flush
  std::vector<Passage> sending_;
  std::list<Passage> receiving_;  ///< packets in the order of their arrival
  std::vector<std::vector<std::byte>> spare_;
  std::vector<std::byte> incoming_;
  std::atomic<bool> interrupted_{false};
  bool more_arrived_ = false;  ///< true if the last receive() stopped at kPacketsAtOnce
  TimeNs poll_ns_ = kFirstPollNs;
  std::uint64_t looked_ = 0;  ///< all_announced() at the last time when something was found to be under way
  Loopback loopback_;
  std::vector<std::uint64_t> gpu_sets_;  ///< visible_gpu_set() of each rank
  std::unique_ptr<SharedBoard> shared_;  ///< the host's board; null if not to be used
  std::unique_ptr<WakeSocket> socket_;   ///< the datagram socket; null if the board suffices, or if not to be
                                         ///< used
};

MpiTransport::MpiTransport(MPI_Comm comm, WakeBy by)
    : comm_(comm),
      rank_([comm] {
        int rank = 0;
        MPI_Comm_rank(comm, &rank);
        return rank;
      }()),
      loopback_(rank_, counters_) {
  int ranks = 0;
  MPI_Comm_size(comm_, &ranks);
  peers_.resize(static_cast<std::size_t>(ranks));
  gpu_sets_ = gather_all(visible_gpu_set(), ranks, comm_);
  if (by == WakeBy::kMemory) shared_ = std::make_unique<SharedBoard>();
  if (by == WakeBy::kPolling || (shared_ && shared_->board().covers_all())) return;
  const std::vector<std::uint64_t> hosts = gather_all(this_host(), ranks, comm_);
  const bool one_host = std::count(hosts.begin(), hosts.end(), hosts.front()) == ranks;
  const std::uint64_t token = gather_all(random_token(), ranks, comm_).front();
  socket_ = std::make_unique<WakeSocket>(rank_, token, one_host);
  const std::vector<WakeSocket::Address> addresses = gather_all(socket_->address(), ranks, comm_);
  for (int to = 0; to < ranks; ++to) peer(to).address = addresses[static_cast<std::size_t>(to)];
}

MpiTransport::~MpiTransport() {
  // While an exception passes, the other ranks may never come here.
  if (std::uncaught_exceptions() == 0) leave_together();
  // MPI still uses the memory of what is under way.
  static std::vector<std::pair<std::vector<Passage>, std::list<Passage>>> abandoned;
  abandoned.emplace_back(std::move(sending_), std::move(receiving_));
}

void MpiTransport::leave_together() {
  constexpr timespec kPause{0, 1'000'000};
  const TimeNs limit_ns = steady_ns() + kLongestLeaveNs;
  MPI_Request everyone = MPI_REQUEST_NULL;
  bool entered = false;
  for (int done = 0; done == 0 && steady_ns() < limit_ns;) {
    receive([](int, std::span<const std::byte>) {});
    if (!entered && sending_.empty()) {
      MPI_Ibarrier(comm_, &everyone);
      entered = true;
    }
    if (entered) MPI_Test(&everyone, &done, MPI_STATUS_IGNORE);
    if (done == 0) {
      clock_nanosleep(CLOCK_MONOTONIC, 0, &kPause, nullptr);
      continue;
    }
    if (shared_) shared_->leave();
    MPI_Comm_free(&comm_);
  }
}

void MpiTransport::send(int to, std::span<const std::byte> message, std::span<const std::byte> rest) {
  HARNESS_CHECK(to >= 0 && to < ranks(), "a message to a rank that does not exist");
  if (to == rank_) return loopback_.send(message, rest);
  ++counters_.messages_sent;
  counters_.bytes_sent += message.size() + rest.size();
  Peer& other = peer(to);
  if (!std::exchange(other.touched, true)) touched_.push_back(to);
  other.collected.add(message, rest);
  if (other.collected.size() >= kFullPacket) post(to);
}

void MpiTransport::post(int to) {
  Peer& other = peer(to);
  Passage sending{to, MPI_REQUEST_NULL, other.collected.finish(other.sent, spare())};
  ++other.sent;
  ++counters_.packets_sent;
  MPI_Isend(sending.packet.data(), static_cast<int>(sending.packet.size()), MPI_BYTE, to, kTag, comm_,
            &sending.request);
  sending_.push_back(std::move(sending));
}

void MpiTransport::flush() {
  loopback_.flush();
  if (touched_.empty()) return;
  const NoYielding no_yielding;
  for (const int to : touched_) {
    if (!peer(to).collected.empty()) post(to);
  }
  finish_sends();
  for (const int to : touched_) {
    peer(to).touched = false;
    if (wake(to)) ++counters_.wakes_sent;
  }
  touched_.clear();
}

std::vector<std::byte> MpiTransport::spare() {
  if (spare_.empty()) return {};
  std::vector<std::byte> memory = std::move(spare_.back());
  spare_.pop_back();
  return memory;
}

void MpiTransport::recycle(std::vector<std::byte> packet) {
  if (spare_.size() < kSpareBuffers && packet.capacity() <= kFullPacket) spare_.push_back(std::move(packet));
}

void MpiTransport::finish_sends() {
  std::erase_if(sending_, [this](Passage& sending) {
    if (!sending.done()) return false;
    poll_ns_ = kFirstPollNs;
    recycle(std::move(sending.packet));
    return true;
  });
}

std::size_t MpiTransport::receive(const TakeMessage& take) {
  std::size_t messages = loopback_.receive(take);
  const NoYielding no_yielding;
  int misses = 0;
  for (int asked = 0; asked < kPacketsAtOnce && misses < kMisses; ++asked) {
    misses = begin_receive(messages, take) ? 0 : misses + 1;
  }
  more_arrived_ = misses < kMisses;
  if (!receiving_.empty()) messages += finish_receives(take);
  if (!sending_.empty()) finish_sends();
  return messages;
}

/// Takes the packets that have become whole, each sender's in their order. A packet is removed from
/// receiving_ before its messages are handed over: `take` may throw, and the next call goes on behind it.
std::size_t MpiTransport::finish_receives(const TakeMessage& take) {
  std::size_t messages = 0;
  for (const Passage& passage : receiving_) peer(passage.peer).blocked = false;
  for (auto at = receiving_.begin(); at != receiving_.end();) {
    Peer& sender = peer(at->peer);
    sender.blocked = sender.blocked || !at->done();
    if (sender.blocked) {
      ++at;
      continue;
    }
    poll_ns_ = kFirstPollNs;
    Passage whole = std::move(*at);
    at = receiving_.erase(at);
    messages += unpack(whole.peer, whole.packet, take);
    recycle(std::move(whole.packet));
  }
  return messages;
}

bool MpiTransport::begin_receive(std::size_t& messages, const TakeMessage& take) {
  int found = 0;
  int bytes = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  MPI_Improbe(MPI_ANY_SOURCE, kTag, comm_, &found, &message, &status);
  if (found == 0) return false;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  poll_ns_ = kFirstPollNs;
  if (bytes <= kComesAtOnce && receiving_.empty()) {
    incoming_.resize(static_cast<std::size_t>(bytes));
    MPI_Mrecv(incoming_.data(), bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    messages += unpack(status.MPI_SOURCE, incoming_, take);
    return true;
  }
  Passage passage{status.MPI_SOURCE, MPI_REQUEST_NULL, spare()};
  passage.packet.resize(static_cast<std::size_t>(bytes));
  MPI_Imrecv(passage.packet.data(), bytes, MPI_BYTE, &message, &passage.request);
  receiving_.push_back(std::move(passage));
  return true;
}

std::size_t MpiTransport::unpack(int from, std::span<const std::byte> packet, const TakeMessage& take) {
  PacketHeader header;
  const PacketFault fault = check_packet(packet, header);
  if (fault != PacketFault::kNoFault) {
    throw EnvironmentError("a packet from rank " + std::to_string(from) + " " + text_of(fault));
  }
  Peer& sender = peer(from);
  ++sender.received;
  ++counters_.packets_received;
  const std::uint64_t lost = sender.check.lost();
  const bool is_new = sender.check.accept(header.sequence);
  counters_.packets_lost += sender.check.lost() - lost;
  if (!is_new) {
    ++counters_.packets_repeated;
    return 0;
  }
  counters_.messages_received += header.messages;
  counters_.bytes_received += header.bytes - sizeof(std::uint32_t) * header.messages;
  for_each_message(packet, [&](std::span<const std::byte> message) { take(from, message); });
  return header.messages;
}

/// Returns the number of packets that `from` has announced to this rank.
std::uint64_t MpiTransport::announced(int from) const {
  const bool by_board = shared_ && shared_->board().covers(from);
  return by_board ? shared_->board().announced(from) : peer(from).announced;
}

std::uint64_t MpiTransport::all_announced() const {
  std::uint64_t packets = 0;
  for (int from = 0; from < ranks(); ++from) packets += announced(from);
  return packets;
}

/// Tells `to` of the packets sent to it; returns true if that took a system call.
bool MpiTransport::wake(int to) {
  if (shared_ && shared_->board().covers(to)) {
    if (!shared_->board().announce(to, peer(to).sent)) return false;
    if (!socket_) {
      shared_->board().rouse(to);
      return true;
    }
  }
  return socket_ && socket_->wake(peer(to).address, peer(to).sent);
}

bool MpiTransport::something_under_way() const {
  if (!sending_.empty() || !receiving_.empty()) return true;
  for (int from = 0; from < ranks(); ++from) {
    if (announced(from) > peer(from).received) return true;
  }
  return false;
}

void MpiTransport::wait_until(TimeNs deadline_ns) {
  if (loopback_.arrived() || more_arrived_ || deadline_ns <= steady_ns()) return;
  if (shared_) shared_->board().lie_down();
  const bool can_be_woken = socket_ ? socket_->address().port != 0 : shared_ != nullptr;
  TimeNs longest_ns = can_be_woken ? kLongestSleepNs : kPollAloneNs;
  bool sleeps = true;
  if (something_under_way()) {
    const std::uint64_t announced = all_announced();
    sleeps = std::exchange(looked_, announced) == announced;  // otherwise it may have come by now
    longest_ns = std::min(longest_ns, poll_ns_);
    if (sleeps) poll_ns_ = std::min(2 * poll_ns_, kLastPollNs);
  }
  while (sleeps && !interrupted_.load()) sleeps = sleep(deadline_ns, longest_ns);
  interrupted_.store(false);
  if (shared_ && shared_->board().get_up() && !socket_) ++counters_.wakes_received;
}

void MpiTransport::interrupt() {
  interrupted_.store(true);
  if (socket_) {
    socket_->wake(socket_->address(), 0);
  } else if (shared_) {
    shared_->board().interrupt();
  }
}

/// Returns true if this rank should sleep on, since what woke it is old.
bool MpiTransport::sleep(TimeNs deadline_ns, TimeNs longest_ns) {
  ++counters_.sleeps;
  if (!socket_) {
    const TimeNs end_ns = std::min(deadline_ns, steady_ns() + longest_ns);
    const timespec end = to_timespec(end_ns);
    if (shared_) {
      shared_->board().sleep(end_ns);
    } else {
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, nullptr);
    }
    return false;
  }
  if (socket_->sleep(deadline_ns, longest_ns) != WakeSocket::Woken::kByDatagram) return false;
  bool news = false;
  counters_.wakes_received += socket_->drain([&](int from, std::uint64_t packets) {
    if (from < 0 || from >= ranks()) return;
    if (from == rank_) {  // interrupt()
      news = true;
      return;
    }
    peer(from).announced = std::max(peer(from).announced, packets);
    news = news || packets > peer(from).received;
  });
  return !news && !shared_;  // the board may say by now that this rank is awake
}

}  // namespace

std::unique_ptr<Transport> make_mpi_transport(WakeBy by) {
  int started = 0;
  int ranks = 1;
  MPI_Initialized(&started);
  if (started != 0) MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks == 1) return make_local_transport();
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  wait_without_spinning(request);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  return std::make_unique<MpiTransport>(comm, by);
}

}  // namespace harness
