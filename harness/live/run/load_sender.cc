#include "harness/live/run/load_sender.h"

#include <utility>

namespace harness {
namespace {

constexpr std::size_t kChunk = 64;  // drawn in about a microsecond

}  // namespace

LoadSender::LoadSender(std::unique_ptr<ArrivalSource> source) : arrivals_(std::move(source), kChunk) {}

}  // namespace harness
