// The wake board in memory that MPI lets the ranks of a host share.
#pragma once

#include <memory>

#include "harness/live/transport/wake_board.h"

namespace harness {

/// The wake board of a host's ranks, in shared memory of MPI, which must have been started. Without leave(),
/// the memory stays until the process ends.
class SharedBoard {
 public:
  /// Makes the board; collective over MPI_COMM_WORLD.
  SharedBoard();
  ~SharedBoard();
  SharedBoard(const SharedBoard&) = delete;
  SharedBoard& operator=(const SharedBoard&) = delete;

  const WakeBoard& board() const { return *board_; }
  /// Gives the memory back, after which board() must not be used. The call is collective.
  void leave();

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<WakeBoard> board_;
};

}  // namespace harness
