// The board by which the ranks of a host wake each other, in memory that MPI lets them share.
#pragma once

#include <memory>

#include "harness/live/wake_board.h"

namespace harness {

/// Needs MPI started. Destroying it without leave() leaves the memory until the process ends.
class SharedBoard {
 public:
  /// Collective over MPI_COMM_WORLD.
  SharedBoard();
  ~SharedBoard();
  SharedBoard(const SharedBoard&) = delete;
  SharedBoard& operator=(const SharedBoard&) = delete;

  const WakeBoard& board() const { return *board_; }
  /// Gives the memory back, after which board() must not be used. Collective.
  void leave();

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<WakeBoard> board_;
};

}  // namespace harness
