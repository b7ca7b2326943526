#include "harness/core/memory.h"

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace harness {

bool has_memory() {
  constexpr std::size_t kBytes = std::size_t{16} << 20;
  void* const memory = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  ::munmap(memory, kBytes);
  return true;
}

void require_memory() {
  if (!has_memory()) throw std::bad_alloc();
}

}  // namespace harness
