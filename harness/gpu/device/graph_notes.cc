#include "harness/gpu/device/graph_notes.h"

#include <cstddef>

namespace harness {
namespace {

std::string note_of(const RefusedSize& first, int last) {
  const std::string to = last > first.batch ? " to " + std::to_string(last) : "";
  return "batch " + std::to_string(first.batch) + to + " without a CUDA graph: " + first.why;
}

}  // namespace

std::vector<std::string> graph_notes(std::span<const int> sizes, std::span<const RefusedSize> refused) {
  std::vector<std::string> notes;
  std::size_t next = 0;                // index in `refused`
  const RefusedSize* first = nullptr;  // first size of the unfinished line; null: there is no such line
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const bool is_refused = next < refused.size() && refused[next].batch == sizes[i];
    const bool goes_on = first != nullptr && is_refused && refused[next].why == first->why;
    if (first != nullptr && !goes_on) {
      notes.push_back(note_of(*first, sizes[i - 1]));
      first = nullptr;
    }
    if (!is_refused) continue;
    if (first == nullptr) first = &refused[next];
    ++next;
  }
  if (first != nullptr) notes.push_back(note_of(*first, sizes.back()));
  return notes;
}

}  // namespace harness
