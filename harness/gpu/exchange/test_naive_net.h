// A net without an order: each sender posts at once as routing decides, each receiver when it hears of it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "harness/gpu/exchange/test_exchange_net.h"

namespace harness {

/// A net with the functions of ExchangeNet, so that it can be searched in the same way.
class NaiveNet {
 public:
  /// `params` must outlive it.
  explicit NaiveNet(const ExchangeNetParams& params)
      : params_(&params), nccl_(params.workers), to_post_(params.workers) {
    for (TransferId id = 0; id < params.transfers.size(); ++id)
      to_post_[params.transfers[id].from].push_back(id);
  }

  std::vector<NetStep> steps() const {
    std::vector<NetStep> found;
    for (std::uint32_t worker = 0; worker < params_->workers; ++worker)
      if (!to_post_[worker].empty()) found.push_back({NetStep::Kind::kToSequencer, worker});
    for (std::uint32_t path = 0; path < params_->workers * params_->workers; ++path)
      if (told_.contains(path) && !told_.at(path).empty()) found.push_back({NetStep::Kind::kToWorker, path});
    for (const WorkerId leader : nccl_.ready()) found.push_back({NetStep::Kind::kComplete, leader});
    return found;
  }

  void take(const NetStep& step) {
    switch (step.kind) {
      case NetStep::Kind::kToSequencer: {
        const Transfer& transfer = params_->transfers[to_post_[step.who].front()];
        to_post_[step.who].pop_front();
        nccl_.enqueue(transfer.from, {FakeNccl::Kind::kSend, transfer.channel, transfer.to, transfer.id, {}});
        told_[static_cast<std::uint32_t>(transfer.from * params_->workers + transfer.to)].push_back(
            transfer.id);
        return;
      }
      case NetStep::Kind::kToWorker: {
        const Transfer& transfer = params_->transfers[told_[step.who].front()];
        told_[step.who].pop_front();
        nccl_.enqueue(transfer.to,
                      {FakeNccl::Kind::kReceive, transfer.channel, transfer.from, transfer.id, {}});
        return;
      }
      default:
        nccl_.complete(step.who);
        ++completed_;
    }
  }

  std::string fault(bool at_end) const {
    return at_end && completed_ < params_->transfers.size() ? "deadlock" : "";
  }
  void append_state(std::vector<std::uint64_t>& words) const {
    words.push_back(completed_);
    nccl_.append_state(words);
    for (const auto& queue : to_post_) words.push_back(queue.size());
    for (const auto& [path, queue] : told_) words.insert(words.end(), {path, queue.size()});
  }

 private:
  const ExchangeNetParams* params_;
  FakeNccl nccl_;
  std::vector<std::deque<TransferId>> to_post_;  ///< transfers to post, by sender
  /// The transfers that the receiver has not heard of yet, by sender x workers + receiver.
  std::map<std::uint32_t, std::deque<TransferId>> told_;
  std::size_t completed_ = 0;
};

}  // namespace harness
