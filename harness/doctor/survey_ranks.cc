#include "harness/doctor/survey_ranks.h"

#include <map>
#include <optional>

#include "harness/core/archive.h"
#include "harness/core/environment_error.h"
#include "harness/live/transport/clock_offset.h"
#include "harness/machine/host_name.h"
#include "harness/machine/overshoot.h"
#include "harness/machine/steady_clock.h"

namespace harness {
namespace {

struct Message {
  enum class Kind : std::uint8_t {
    kHello,   ///< message to rank 0: `facts` has host and cores
    kTurn,    ///< message from rank 0: `number` is the number of ranks on the host if the receiver is to look
              ///< at it, else 0
    kPing,    ///< message to rank 0: `number` is the duration of the nap before the answer
    kPong,    ///< message from rank 0: `number` is its time
    kReport,  ///< message to rank 0: `facts` has the other facts
    kEnd      ///< message from rank 0: the survey is over
  };
  Kind kind = Kind::kEnd;
  TimeNs number = 0;
  RankFacts facts = {};
};
using Kind = Message::Kind;

template <class Way>
void code(Archive<Way>& archive, Message& message) {
  archive.value(message.kind);
  archive.value(message.number);
  RankFacts& facts = message.facts;
  if (message.kind == Kind::kHello) {
    archive.value(facts.host);
    code(archive, facts.cores);
  } else if (message.kind == Kind::kReport) {
    archive.value(facts.round_trips);
    archive.value(facts.round_trip_p50_ns);
    archive.value(facts.round_trip_p99_ns);
    archive.value(facts.clock_offset_ns);
    archive.value(facts.clock_bound_ns);
    archive.value(facts.woken);
    archive.list(facts.checks, [&](Check& check) {
      archive.value(check.level);
      archive.value(check.subject);
      archive.value(check.found);
      archive.value(check.advice);
    });
  }
}

void send(Transport& transport, int to, const Message& message) {
  transport.send(to, packed(message));
  transport.flush();
}

void say_hello(Transport& transport, const MachineFiles& files) {
  Message hello{Kind::kHello};
  hello.facts.host = host_name();
  hello.facts.cores = usable_cores(files);
  send(transport, 0, hello);
}

void nap(TimeNs nap_ns) {
  if (nap_ns <= 0) return;
  const timespec length = to_timespec(nap_ns);
  ::clock_nanosleep(CLOCK_MONOTONIC, 0, &length, nullptr);
}

/// Receives until `done` or the deadline; returns true if it was done.
template <class Done>
bool receive_until(Transport& transport, TimeNs deadline_ns, const TakeMessage& take, Done done) {
  while (!done()) {
    if (transport.receive(take) > 0) continue;
    if (steady_ns() >= deadline_ns) return false;
    transport.wait_until(deadline_ns);
  }
  return true;
}

/// The survey on rank 0.
class Surveyor {
 public:
  Surveyor(Transport& transport, const SurveyParams& params) : transport_(transport), params_(params) {
    for (int rank = 0; rank < transport.ranks(); ++rank) facts_.emplace_back().rank = rank;
  }

  std::vector<RankFacts> run(const MachineFiles& files, const LookAtHost& look) {
    say_hello(transport_, files);
    std::size_t known = 0;
    receive_until(
        transport_, steady_ns() + params_.answer_limit_ns,
        [&](int from, std::span<const std::byte> message) {
          take(from, message);
          ++known;
        },
        [&] { return known == facts_.size(); });
    for (const RankFacts& facts : facts_) {
      if (facts.answered) ++ranks_on_[facts.host];
    }
    facts_.front().checks = look(turn_of(facts_.front()));
    for (std::size_t rank = 1; rank < facts_.size(); ++rank) survey(facts_[rank]);
    for (std::size_t rank = 1; rank < facts_.size(); ++rank)
      send(transport_, static_cast<int>(rank), {Kind::kEnd});
    return std::move(facts_);
  }

 private:
  /// Returns the number of ranks on its host if it is the host's first to be asked, else 0.
  int turn_of(const RankFacts& facts) { return std::exchange(ranks_on_[facts.host], 0); }

  void survey(RankFacts& facts) {
    if (!facts.answered) return;
    const std::uint64_t wakes = transport_.counters().wakes_received;
    reported_ = false;
    send(transport_, facts.rank, {Kind::kTurn, turn_of(facts)});
    facts.answered = receive_until(
        transport_, steady_ns() + params_.answer_limit_ns,
        [this](int from, std::span<const std::byte> message) { take(from, message); },
        [this] { return reported_; });
    facts.wakes = transport_.counters().wakes_received > wakes;
  }

  void take(int from, std::span<const std::byte> bytes) {
    Message message = unpacked<Message>(bytes);
    RankFacts& facts = facts_[static_cast<std::size_t>(from)];
    switch (message.kind) {
      case Kind::kHello:
        facts.host = std::move(message.facts.host);
        facts.cores = std::move(message.facts.cores);
        facts.answered = true;
        return;
      case Kind::kPing:
        nap(message.number);
        return send(transport_, from, {Kind::kPong, steady_ns()});
      case Kind::kReport:
        message.facts.rank = facts.rank;
        message.facts.answered = facts.answered;
        message.facts.host = std::move(facts.host);
        message.facts.cores = std::move(facts.cores);
        facts = std::move(message.facts);
        reported_ = true;
        return;
      default:
        return;
    }
  }

  Transport& transport_;
  const SurveyParams& params_;
  std::vector<RankFacts> facts_;
  std::map<std::string, int> ranks_on_;
  bool reported_ = false;
};

/// The survey on another rank.
class Surveyed {
 public:
  Surveyed(Transport& transport, const SurveyParams& params) : transport_(transport), params_(params) {}

  void run(const MachineFiles& files, const LookAtHost& look) {
    say_hello(transport_, files);
    while (!ended_) {
      turn_.reset();
      wait_for_rank0([this] { return turn_ || ended_; });
      if (ended_ || !turn_) continue;
      Message report{Kind::kReport};
      if (*turn_ > 0) report.facts.checks = look(*turn_);
      make_round_trips(report.facts);
      probe_wakes(report.facts);
      send(transport_, 0, report);
    }
  }

 private:
  template <class Done>
  void wait_for_rank0(Done done) {
    const TimeNs limit_ns = params_.answer_limit_ns * (transport_.ranks() + 1);
    const bool came = receive_until(
        transport_, steady_ns() + limit_ns,
        [this](int, std::span<const std::byte> message) { take(message); }, done);
    if (!came) {
      throw EnvironmentError("rank " + std::to_string(transport_.rank()) + " on " + host_name() +
                             ": rank 0 says nothing");
    }
  }

  void make_round_trips(RankFacts& facts) {
    ClockOffset clock;
    std::vector<TimeNs> trips_ns;
    const TimeNs limit_ns = steady_ns() + params_.trips_limit_ns;
    for (int i = 0; i < params_.round_trips && (i == 0 || steady_ns() < limit_ns); ++i) {
      const TimeNs sent_ns = steady_ns();
      const TimeNs rank0_ns = ping(0);
      const TimeNs back_ns = steady_ns();
      clock.add(sent_ns, rank0_ns, back_ns);
      trips_ns.push_back(back_ns - sent_ns);
    }
    const TimeNs now_ns = steady_ns();
    clock.end_burst(now_ns);
    facts.round_trips = static_cast<int>(trips_ns.size());
    const Overshoot trips = overshoot_of(std::move(trips_ns));
    facts.round_trip_p50_ns = trips.p50_ns;
    facts.round_trip_p99_ns = trips.p99_ns;
    facts.clock_offset_ns = clock.offset_ns(now_ns);
    facts.clock_bound_ns = clock.bound_ns(now_ns);
  }

  /// Naps on either side before each message, so that the receiver certainly sleeps when it comes.
  void probe_wakes(RankFacts& facts) {
    const std::uint64_t wakes = transport_.counters().wakes_received;
    for (int i = 0; i < params_.wake_probes; ++i) {
      nap(params_.nap_ns);
      ping(params_.nap_ns);
    }
    facts.woken = transport_.counters().wakes_received > wakes;
  }

  /// Returns rank 0's time when it answered.
  TimeNs ping(TimeNs nap_ns) {
    rank0_ns_.reset();
    send(transport_, 0, {Kind::kPing, nap_ns});
    wait_for_rank0([this] { return rank0_ns_.has_value(); });
    return *rank0_ns_;
  }

  void take(std::span<const std::byte> bytes) {
    const Message message = unpacked<Message>(bytes);
    switch (message.kind) {
      case Kind::kTurn:
        turn_ = static_cast<int>(message.number);
        return;
      case Kind::kPong:
        rank0_ns_ = message.number;
        return;
      case Kind::kEnd:
        ended_ = true;
        return;
      default:
        return;
    }
  }

  Transport& transport_;
  const SurveyParams& params_;
  std::optional<int> turn_;
  std::optional<TimeNs> rank0_ns_;
  bool ended_ = false;
};

}  // namespace

std::vector<RankFacts> survey_ranks(Transport& transport, const MachineFiles& files, const LookAtHost& look,
                                    const SurveyParams& params) {
  if (transport.rank() == 0) return Surveyor(transport, params).run(files, look);
  Surveyed(transport, params).run(files, look);
  return {};
}

}  // namespace harness
