#include "harness/gpu/ended_batches.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace harness {

EndedBatches::~EndedBatches() {
  std::vector<BatchEnd> dropped;
  take(dropped);
}

void EndedBatches::push(BatchEnd end) {
  Node* const node = new Node{std::move(end)};
  Node* before = newest_.load(std::memory_order_relaxed);
  do {
    node->older = before;
  } while (!newest_.compare_exchange_weak(before, node, std::memory_order_acq_rel));
  // From here on the node belongs to whoever takes it.
  if (before == nullptr && wake_) wake_();
}

bool EndedBatches::take(std::vector<BatchEnd>& ended) {
  Node* node = newest_.exchange(nullptr, std::memory_order_acquire);
  if (node == nullptr) return false;
  const auto first = static_cast<std::ptrdiff_t>(ended.size());
  while (node != nullptr) {
    ended.push_back(std::move(node->end));
    delete std::exchange(node, node->older);
  }
  std::reverse(ended.begin() + first, ended.end());
  return true;
}

}  // namespace harness
