#include "workloads/streams/stream_arrivals.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "harness/core/portable_math.h"
#include "harness/core/random_stream.h"
#include "workloads/arrivals/alias_table.h"
#include "workloads/arrivals/exponential_gaps.h"
#include "workloads/arrivals/rate_curve.h"

namespace harness {
namespace {

using Population = std::shared_ptr<const StreamPopulation>;

/// The requests of a class: their streams, and the seed with which they are drawn.
struct ClassSource {
  Population population;
  std::size_t number = 0;  ///< number of the class
  std::uint64_t seed = 0;

  const ClassPopulation& streams() const { return population->classes()[number]; }
  RandomStream random(const char* purpose) const { return {seed, purpose, number}; }
};

/// The base of the sources of one class, in which streams count from 0.
class ClassArrivals {
 public:
  explicit ClassArrivals(ClassSource source)
      : source_(std::move(source)), duration_ns_(source_.population->duration_ns()) {}

  virtual ~ClassArrivals() = default;

  /// Fills the spans as ArrivalSource does.
  virtual std::size_t next(std::span<TimeNs> out, std::span<StreamId> streams) = 0;

 protected:
  /// Opens the next minute of the run. Returns false after the last.
  bool open_minute() {
    if (end_ns_ >= duration_ns_) return false;
    begin_ns_ = end_ns_;
    end_ns_ = std::min(duration_ns_, begin_ns_ + source_.streams().minute_ns());
    source_.streams().rates_in(minute_++, rps_);
    return true;
  }

  ClassSource source_;
  TimeNs duration_ns_;
  TimeNs begin_ns_ = 0;  ///< begin of the open minute
  TimeNs end_ns_ = 0;
  std::vector<double> rps_;  ///< rates of the class's streams in it

 private:
  std::int64_t minute_ = 0;
};

/// Keeps every request.
class KeepAll {
 public:
  explicit KeepAll(const ClassSource&) {}
  double highest() const { return 1; }
  bool keeps(TimeNs, StreamId) { return true; }
};

/// Thins the candidates of a stream to a Poisson process whose rate is in one of two states: a candidate is
/// kept with the probability of the state's rate over the high rate.
class KeepByState {
 public:
  explicit KeepByState(const ClassSource& source) : random_(source.random("stream states")) {
    const StreamClass& spec = source.streams().spec();
    share_ = spec.mmpp_high_share;
    keep_low_ = 1.0 / spec.mmpp_ratio;
    highest_ = spec.mmpp_ratio / (1.0 + share_ * (spec.mmpp_ratio - 1.0));
    const double high_ns = spec.mmpp_high_s * static_cast<double>(kNsPerS);
    const double low_ns = high_ns * (1.0 - share_) / share_;
    decay_per_ns_ = 1.0 / high_ns + 1.0 / low_ns;
    const std::size_t streams = source.streams().streams();
    const auto chains = static_cast<std::size_t>(spec.mmpp_chains);
    states_.resize(chains == 0 ? streams : std::min(chains, streams));
    for (int k = 0; k <= kForgotten * kSteps; ++k)
      table_.push_back(portable_exp(-static_cast<double>(k) / kSteps));
  }

  /// Returns the rate of the high state over the mean.
  double highest() const { return highest_; }

  bool keeps(TimeNs at, StreamId stream) {
    if (random_.uniform() < keep_low_) return true;  // kept in either state, so the state need not be known
    State& state = states_[stream % states_.size()];
    state.high = draw_state(at, state);
    state.known_ns = at;
    return state.high;
  }

 private:
  struct State {
    TimeNs known_ns = -1;
    bool high = false;
  };

  static constexpr double kForgotten = 40;  // e^-40 is below what a uniform number resolves
  static constexpr int kSteps = 64;         // number of steps of the table for each 1

  /// Draws the state, which is high with probability share + (was high - share) e^-decay. Two values of a
  /// table enclose that; the exponential itself is needed only if the random number lies between them.
  bool draw_state(TimeNs at, const State& state) {
    const double random = random_.uniform();
    if (state.known_ns < 0) return random < share_;
    const double decay = decay_per_ns_ * static_cast<double>(at - state.known_ns);
    if (decay >= kForgotten) return random < share_;
    const double scale = state.high ? 1.0 - share_ : -share_;
    const auto step = static_cast<std::size_t>(decay * kSteps);
    const double a = share_ + scale * table_[step];
    const double b = share_ + scale * table_[step + 1];
    if (random < std::min(a, b)) return true;
    if (random >= std::max(a, b)) return false;
    return random < share_ + scale * portable_exp(-decay);
  }

  RandomStream random_;
  double share_ = 0;
  double keep_low_ = 0;
  double highest_ = 0;
  double decay_per_ns_ = 0;
  std::vector<State> states_;
  std::vector<double> table_;  ///< e^(-k / kSteps)
};

/// A Poisson process at the sum of the streams' highest rates, each candidate of a stream drawn by its rate.
template <class Filter>
class SuperposedStreams final : public ClassArrivals {
 public:
  explicit SuperposedStreams(ClassSource source)
      : ClassArrivals(std::move(source)),
        filter_(source_),
        gaps_(source_.random("stream arrivals")),
        choices_(source_.random("stream choices")) {
    gap_ = gaps_.next();
  }

  std::size_t next(std::span<TimeNs> out, std::span<StreamId> streams) override {
    std::size_t count = 0;
    while (count < out.size()) {
      while (gap_ >= left_) {
        gap_ -= left_;
        left_ = 0;
        if (!open_minute()) return count;
        open_superposition();
      }
      left_ -= gap_;
      offset_ns_ += gap_ * ns_per_candidate_;
      gap_ = gaps_.next();
      const TimeNs at = std::min(begin_ns_ + static_cast<TimeNs>(offset_ns_), end_ns_ - 1);
      const StreamId stream = table_.draw(choices_);
      if (!filter_.keeps(at, stream)) continue;
      out[count] = at;
      streams[count++] = stream;
    }
    return count;
  }

 private:
  void open_superposition() {
    double sum = 0;
    for (const double rps : rps_) sum += rps;
    const double per_ns = sum * filter_.highest() / static_cast<double>(kNsPerS);
    left_ = per_ns * static_cast<double>(end_ns_ - begin_ns_);
    offset_ns_ = 0;
    if (!(per_ns > 0)) return;
    ns_per_candidate_ = 1.0 / per_ns;
    table_.build(rps_);
  }

  Filter filter_;
  ExponentialGaps gaps_;
  RandomStream choices_;
  AliasTable table_;
  double gap_ = 0;        ///< expected candidates from the last one (or the minute's begin) to the next
  double left_ = 0;       ///< expected candidates in the rest of the minute
  double offset_ns_ = 0;  ///< time of the last candidate since the begin of the minute
  double ns_per_candidate_ = 0;
};

/// Each stream lays its requests evenly out in the integral of its rate.
class EvenStreams final : public ClassArrivals {
 public:
  explicit EvenStreams(ClassSource source) : ClassArrivals(std::move(source)) {
    RandomStream phases = source_.random("stream phases");
    for (std::size_t i = 0; i < source_.streams().streams(); ++i) missing_.push_back(phases.uniform());
  }

  std::size_t next(std::span<TimeNs> out, std::span<StreamId> streams) override {
    std::size_t count = 0;
    while (count < out.size()) {
      while (due_.empty()) {
        if (!open_minute()) return count;
        for (StreamId stream = 0; stream < rps_.size(); ++stream) {
          if (const std::optional<Due> first = next_of(stream, 0)) due_.push_back(*first);
        }
        std::sort(due_.begin(), due_.end());
      }
      const auto [offset_ns, stream] = due_.front();
      out[count] = std::min(begin_ns_ + static_cast<TimeNs>(offset_ns), end_ns_ - 1);
      streams[count++] = stream;
      missing_[stream] = 1;
      if (const std::optional<Due> next = next_of(stream, offset_ns)) {
        sink(*next);
      } else {
        const Due last = due_.back();
        due_.pop_back();
        if (!due_.empty()) sink(last);
      }
    }
    return count;
  }

 private:
  using Due = std::pair<double, StreamId>;  // ns after the minute's begin

  /// Returns the stream's next request if it lies in the open minute; otherwise keeps the rest that is
  /// missing to it at the minute's end.
  std::optional<Due> next_of(StreamId stream, double from_ns) {
    const double per_ns = rps_[stream] / static_cast<double>(kNsPerS);
    const double left = per_ns * (static_cast<double>(end_ns_ - begin_ns_) - from_ns);
    if (missing_[stream] < left) return Due{from_ns + missing_[stream] / per_ns, stream};
    missing_[stream] -= left;
    return std::nullopt;
  }
  /// Puts `due` in place of the first, and moves it down to its place.
  void sink(Due due) {
    const std::size_t size = due_.size();
    std::size_t place = 0;
    for (;;) {
      const std::size_t child = kChildren * place + 1;
      if (child >= size) break;
      std::size_t least = child;
      for (std::size_t other = child + 1; other < std::min(size, child + kChildren); ++other) {
        if (due_[other] < due_[least]) least = other;
      }
      if (!(due_[least] < due)) break;
      due_[place] = due_[least];
      place = least;
    }
    due_[place] = due;
  }

  static constexpr std::size_t kChildren = 4;

  std::vector<double> missing_;  ///< number of requests until each stream's next one, below 1
  std::vector<Due> due_;         ///< heap in which every node has kChildren children; the first is in front
};

/// All streams of the class send their bursts at the same times.
class BurstStreams final : public ClassArrivals {
 public:
  explicit BurstStreams(ClassSource source) : ClassArrivals(std::move(source)) {
    const StreamClass& spec = source_.streams().spec();
    at_ns_ = ms_to_ns(spec.offset_ms);
    period_ns_ = std::max<TimeNs>(1, ms_to_ns(spec.period_ms));
  }

  std::size_t next(std::span<TimeNs> out, std::span<StreamId> streams) override {
    const StreamClass& spec = source_.streams().spec();
    std::size_t count = 0;
    while (count < out.size() && at_ns_ < duration_ns_) {
      out[count] = at_ns_;
      streams[count++] = stream_;
      if (++sent_ < spec.burst) continue;
      sent_ = 0;
      if (++stream_ < source_.streams().streams()) continue;
      stream_ = 0;
      at_ns_ += period_ns_;
    }
    return count;
  }

 private:
  TimeNs at_ns_ = 0;
  TimeNs period_ns_ = 0;
  StreamId stream_ = 0;
  int sent_ = 0;
};

/// The requests of a module, at the times that a file has.
class RecordedStream final : public ClassArrivals {
 public:
  explicit RecordedStream(ClassSource source) : ClassArrivals(std::move(source)) {}

  std::size_t next(std::span<TimeNs> out, std::span<StreamId> streams) override {
    const std::span<const TimeNs> left = source_.streams().times().subspan(sent_);
    const std::size_t count = std::min(out.size(), left.size());
    std::copy_n(left.begin(), count, out.begin());
    std::fill_n(streams.begin(), count, StreamId{0});
    sent_ += count;
    return count;
  }

 private:
  std::size_t sent_ = 0;
};

std::unique_ptr<ClassArrivals> class_arrivals(ClassSource source) {
  switch (source.streams().spec().process) {
    case StreamProcess::kUniform:
      return std::make_unique<EvenStreams>(std::move(source));
    case StreamProcess::kMmpp:
      return std::make_unique<SuperposedStreams<KeepByState>>(std::move(source));
    case StreamProcess::kBursts:
      return std::make_unique<BurstStreams>(std::move(source));
    case StreamProcess::kRecorded:
      return std::make_unique<RecordedStream>(std::move(source));
    default:
      return std::make_unique<SuperposedStreams<KeepAll>>(std::move(source));
  }
}

/// Merges the classes' requests; streams count from 0 in the trace.
class MergedStreams final : public ArrivalSource {
 public:
  MergedStreams(Population population, std::uint64_t seed) : population_(std::move(population)), seed_(seed) {
    StreamId first = 0;
    for (std::size_t number = 0; number < population_->classes().size(); ++number) {
      inputs_.push_back({class_arrivals({population_, number, seed_}), first, {}, {}, 0, 0});
      first += static_cast<StreamId>(population_->classes()[number].streams());
      refill(inputs_.back());
    }
  }

  std::size_t next(std::span<TimeNs> out) override {
    std::size_t count = 0;
    for (Input* input = earliest(); count < out.size() && input != nullptr; input = earliest()) {
      out[count++] = input->times[input->place];
      take(*input);
    }
    return count;
  }
  std::size_t next(std::span<TimeNs> out, std::span<StreamId> streams) override {
    std::size_t count = 0;
    for (Input* input = earliest(); count < out.size() && input != nullptr; input = earliest()) {
      out[count] = input->times[input->place];
      streams[count++] = input->first + input->streams[input->place];
      take(*input);
    }
    return count;
  }

  std::unique_ptr<ArrivalSource> restarted() const override {
    return std::make_unique<MergedStreams>(population_, seed_);
  }
  TimeNs duration_ns() const override { return population_->duration_ns(); }
  double expected_requests() const override { return population_->expected_requests(); }

 private:
  static constexpr std::size_t kBlock = 256;

  struct Input {
    std::unique_ptr<ClassArrivals> source;
    StreamId first = 0;  ///< number of the class's first stream
    std::array<TimeNs, kBlock> times{};
    std::array<StreamId, kBlock> streams{};
    std::size_t place = 0;
    std::size_t count = 0;  ///< number of requests in the block; 0: the class has ended
  };

  static void refill(Input& input) {
    input.count = input.source->next(input.times, input.streams);
    input.place = 0;
  }
  static void take(Input& input) {
    if (++input.place == input.count) refill(input);
  }
  /// Returns the class with the earliest request, the first class at one instant; null at the end.
  Input* earliest() {
    Input* found = nullptr;
    for (Input& input : inputs_) {
      if (input.count == 0) continue;
      if (found == nullptr || input.times[input.place] < found->times[found->place]) found = &input;
    }
    return found;
  }

  Population population_;
  std::uint64_t seed_;
  std::vector<Input> inputs_;
};

}  // namespace

std::unique_ptr<ArrivalSource> make_stream_arrivals(std::shared_ptr<const StreamPopulation> population,
                                                    std::uint64_t seed) {
  return std::make_unique<MergedStreams>(std::move(population), seed);
}

std::vector<std::vector<double>> peak_rps(const ArrivalSource& source, std::span<const Stream> streams,
                                          std::size_t modules, TimeNs period_ns) {
  const std::unique_ptr<ArrivalSource> arrivals = source.restarted();
  const TimeNs duration_ns = std::max<TimeNs>(arrivals->duration_ns(), 1);
  if (period_ns == 0) period_ns = duration_ns;
  const auto periods = static_cast<std::size_t>((duration_ns + period_ns - 1) / period_ns);
  std::vector<std::vector<double>> peaks(periods, std::vector<double>(modules, 0.0));
  std::vector<double> counts(modules, 0.0);
  std::array<TimeNs, 1024> times{};
  std::array<StreamId, 1024> senders{};
  std::size_t period = 0;
  TimeNs second_end_ns = std::min(kNsPerS, period_ns);
  const auto close_second = [&] {
    for (std::size_t m = 0; m < modules; ++m) peaks[period][m] = std::max(peaks[period][m], counts[m]);
    std::fill(counts.begin(), counts.end(), 0.0);
  };
  while (const std::size_t count = arrivals->next(times, senders)) {
    for (std::size_t i = 0; i < count; ++i) {
      if (times[i] >= second_end_ns) {
        close_second();
        period = std::min(static_cast<std::size_t>(times[i] / period_ns), periods - 1);
        const TimeNs begin_ns = static_cast<TimeNs>(period) * period_ns;
        const TimeNs second = (times[i] - begin_ns) / kNsPerS + 1;
        second_end_ns = std::min(begin_ns + second * kNsPerS, begin_ns + period_ns);
      }
      counts[streams[senders[i]].entry] += 1;
    }
  }
  close_second();
  for (period = 0; period < periods; ++period) {
    const TimeNs begin_ns = static_cast<TimeNs>(period) * period_ns;
    const double length_s = ns_to_s(std::min(period_ns, duration_ns - begin_ns));
    if (length_s >= 1) continue;
    for (double& rps : peaks[period]) rps /= length_s;
  }
  return peaks;
}

}  // namespace harness
