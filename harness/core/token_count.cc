#include "harness/core/token_count.h"

#include "harness/core/portable_math.h"

namespace harness {

double mean_of(const TokenLengths& lengths) {
  return lengths.median * portable_exp(lengths.sigma * lengths.sigma / 2);
}

}  // namespace harness
