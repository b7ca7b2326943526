#include "bench/counted_allocations.h"

#include <cstdlib>
#include <new>

namespace {
std::int64_t g_allocations = 0;
}  // namespace

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++g_allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace harness {

std::int64_t allocations() { return g_allocations; }

}  // namespace harness
