// Fetching ahead: with thousands of workers what an event touches lies outside the near caches.
#pragma once

#include <cstddef>

namespace harness {

inline constexpr std::size_t kCacheLine = 64;

/// Asks for the cache lines of `count` objects from `first` on, to be written. Any pointer will do; no effect
/// on the run.
template <class Object>
void prefetch_span(const Object* first, std::size_t count) {
  const char* const bytes = reinterpret_cast<const char*>(first);
  for (std::size_t at = 0; at < count * sizeof(Object); at += kCacheLine) __builtin_prefetch(bytes + at, 1);
}

/// The same for one object.
template <class Object>
void prefetch_object(const Object* object) {
  prefetch_span(object, 1);
}

}  // namespace harness
