// Draws an index with given probabilities in constant time (Walker's alias method, built as by Vose, 1991).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/random.h"

namespace harness {

class AliasTable {
 public:
  /// Index i is drawn in proportion to weights[i] >= 0; at least one is positive, at most 2^32 are given.
  void build(std::span<const double> weights);

  /// One random number a draw: its high part chooses the column, the low part one of the column's two.
  std::uint32_t draw(RandomStream& random) const {
    __extension__ using Wide = unsigned __int128;
    const Wide place = static_cast<Wide>(random.bits()) * columns_.size();
    const auto index = static_cast<std::uint32_t>(place >> 64);
    const Column& column = columns_[index];
    return static_cast<std::uint64_t>(place) < column.own ? index : column.other;
  }

 private:
  struct Column {
    std::uint64_t own = 0;    ///< share of the column that is its own index, of 2^64
    std::uint32_t other = 0;  ///< what the rest is
  };

  std::vector<Column> columns_;
  // Kept between builds so that they allocate once.
  std::vector<double> shares_;
  std::vector<std::uint32_t> small_;
  std::vector<std::uint32_t> large_;
};

}  // namespace harness
