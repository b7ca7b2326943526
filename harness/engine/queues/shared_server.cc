#include "harness/engine/queues/shared_server.h"

#include <algorithm>

namespace harness {
namespace {

/// True if what is left takes less than half a nanosecond: events are on whole nanoseconds.
bool is_done(double left, double rate_per_ns) { return left <= rate_per_ns * 0.5; }

TimeNs end_of(TimeNs now, double left, double rate_per_ns) {
  const double ns = left > 0 ? left / rate_per_ns : 0.0;
  constexpr double kLongest = 4e18;
  return ns < kLongest ? now + static_cast<TimeNs>(ns + 0.5) : kNever;
}

}  // namespace

bool SharedServer::prefilling() const {
  return !prompts_.empty() && decoding_.size() < static_cast<std::size_t>(service_->slots);
}

SharedServer::Rates SharedServer::rates() const {
  const std::size_t count = std::min(decoding_.size(), service_->decode_tokens_per_s.size());
  const double step_ns =
      count == 0 ? 0 : static_cast<double>(decoding_.size()) / service_->decode_tokens_per_s[count - 1] * 1e9;
  Rates rates;
  if (!prefilling()) {
    rates.decode = count == 0 ? 0 : 1 / step_ns;
    return rates;
  }
  const double both_ns = step_ns + prefill_ns(*service_, service_->chunk_tokens);
  rates.prefill = service_->chunk_tokens / both_ns;
  rates.decode = count == 0 ? 0 : 1 / both_ns;
  return rates;
}

void SharedServer::progress(TimeNs now) {
  const auto elapsed = static_cast<double>(now - at_ns_);
  const Rates speed = rates();
  if (prefilling()) prompts_.front().left -= elapsed * speed.prefill;
  decoded_ += elapsed * speed.decode;
  at_ns_ = now;
}

void SharedServer::start(TimeNs now, WorkerId worker, TokenCount tokens) {
  progress(now);
  prompts_.push_back({worker, static_cast<double>(tokens.input),
                      tokens.output > 0 ? static_cast<double>(tokens.output) - 1 : 0.0});
}

TimeNs SharedServer::next_ns() const {
  const Rates speed = rates();
  TimeNs next = kNever;
  if (prefilling()) next = end_of(at_ns_, prompts_.front().left, speed.prefill);
  if (!decoding_.empty()) {
    next = std::min(next, end_of(at_ns_, decoding_.front().end - decoded_, speed.decode));
  }
  return next;
}

void SharedServer::end_prefill(std::vector<WorkerId>& ended) {
  const Prompt prompt = prompts_.front();
  prompts_.pop_front();
  const bool visit_ends = service_->ends_at_first_token || prompt.decode <= 0;
  if (visit_ends) ended.push_back(prompt.worker);
  if (prompt.decode <= 0) return;
  decoding_.push_back({decoded_ + prompt.decode, started_++, visit_ends ? kNone : prompt.worker});
  std::push_heap(decoding_.begin(), decoding_.end(), later);
}

void SharedServer::advance(TimeNs now, std::vector<WorkerId>& ended) {
  progress(now);
  // The rates with which the server came here decide what is done, because an end changes them.
  const Rates speed = rates();
  const bool prompt_done = prefilling() && is_done(prompts_.front().left, speed.prefill);
  while (!decoding_.empty() && is_done(decoding_.front().end - decoded_, speed.decode)) {
    std::pop_heap(decoding_.begin(), decoding_.end(), later);
    if (decoding_.back().worker != kNone) ended.push_back(decoding_.back().worker);
    decoding_.pop_back();
  }
  if (prompt_done) end_prefill(ended);
  if (decoding_.empty()) decoded_ = 0;
}

}  // namespace harness
