// Random indices with given probabilities.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/random_stream.h"

namespace harness {

/// Draws indices in proportion to weights, each in constant time.
class AliasTable {
 public:
  /// Makes draw() return index i in proportion to weights[i] >= 0; at least one must be positive, at most
  /// 2^32 are given.
  void build(std::span<const double> weights);

  /// Draws an index with one random number: its high part chooses the column, the low part one of the
  /// column's two indices.
  std::uint32_t draw(RandomStream& random) const {
    __extension__ using Wide = unsigned __int128;
    const Wide place = static_cast<Wide>(random.bits()) * columns_.size();
    const auto index = static_cast<std::uint32_t>(place >> 64);
    const Column& column = columns_[index];
    return static_cast<std::uint64_t>(place) < column.own ? index : column.other;
  }

 private:
  struct Column {
    std::uint64_t own = 0;    ///< share of the column that yields its own index, of 2^64
    std::uint32_t other = 0;  ///< index that the rest of the column yields
  };

  std::vector<Column> columns_;
  // Kept between builds so that they allocate once.
  std::vector<double> shares_;
  std::vector<std::uint32_t> small_;
  std::vector<std::uint32_t> large_;
};

}  // namespace harness
