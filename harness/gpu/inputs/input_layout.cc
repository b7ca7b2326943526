#include "harness/gpu/inputs/input_layout.h"

#include <algorithm>
#include <cstring>

#include "harness/core/check.h"
#include "harness/gpu/inputs/assemble_pixels.h"

namespace harness {
namespace {

bool is_same(std::span<const std::uint8_t> one, std::span<const std::uint8_t> other) {
  return one.data() == other.data() && one.size() == other.size();
}

}  // namespace

void InputLayout::clear(std::size_t most) {
  table_bytes_ = aligned(most * sizeof(StagedImage));
  pieces_.clear();
  entries_.clear();
  end_ = table_bytes_;
  table_waits_ = false;
  next_ = 0;
  into_ = 0;
  sent_ = table_bytes_;
}

void InputLayout::add(const Image& image) {
  pieces_.push_back({image.bytes, end_});
  end_ = size_with(image);
}

std::size_t InputLayout::size_with(const Image& image) const { return end_ + aligned(image.bytes.size()); }

void InputLayout::place(std::span<const Image> batch) {
  HARNESS_CHECK(batch.size() * sizeof(StagedImage) <= table_bytes_, "a batch larger than its table");
  entries_.clear();
  const std::size_t prepared = pieces_.size();
  std::size_t from = 0;
  for (const Image& image : batch) {
    Entry entry{nullptr, 0, image.height, image.width};
    if (image.on_device) {
      entry.on_device = image.bytes.data();
      entries_.push_back(entry);
      continue;
    }
    std::size_t match = from;
    while (match < prepared && !is_same(pieces_[match].bytes, image.bytes)) ++match;
    if (match < prepared) {
      from = match + 1;
    } else {
      match = pieces_.size();
      add(image);
    }
    entry.at = pieces_[match].at;
    entries_.push_back(entry);
  }
}

void InputLayout::write_table(std::span<std::byte> host, const std::byte* device) {
  HARNESS_CHECK(host.size() >= end_, "an input buffer too small for its batch");
  std::size_t at = 0;
  for (const Entry& entry : entries_) {
    const void* const bytes =
        entry.on_device != nullptr ? static_cast<const void*>(entry.on_device) : device + entry.at;
    const StagedImage staged{static_cast<const std::uint32_t*>(bytes), entry.height, entry.width};
    std::memcpy(host.data() + at, &staged, sizeof staged);
    at += sizeof staged;
  }
  table_waits_ = true;
}

InputLayout::Range InputLayout::stage(std::span<std::byte> host, std::size_t most) {
  const bool table_alone = table_waits_ && sent_ > table_bytes_;
  const std::size_t begin = table_waits_ ? 0 : sent_;
  table_waits_ = false;
  if (table_alone) return {0, entries_.size() * sizeof(StagedImage)};
  while (most > 0 && next_ < pieces_.size()) {
    const Piece& piece = pieces_[next_];
    const std::size_t bytes = std::min(most, piece.bytes.size() - into_);
    std::memcpy(host.data() + piece.at + into_, piece.bytes.data() + into_, bytes);
    into_ += bytes;
    most -= bytes;
    sent_ = piece.at + into_;
    if (into_ < piece.bytes.size()) break;
    const std::size_t padding = aligned(into_) - into_;
    std::memset(host.data() + sent_, 0, padding);
    sent_ += padding;
    into_ = 0;
    ++next_;
  }
  return {begin, sent_};
}

}  // namespace harness
