// The random order of a list. std::shuffle() gives another one with each library.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "harness/core/random_stream.h"

namespace harness {

/// Puts the values in an order drawn from `random`, each order with the same probability.
template <class Value>
void shuffle(std::vector<Value>& values, RandomStream& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

}  // namespace harness
