#include "systems/loki/routing_entry.h"

namespace harness {

const RoutingEntry* draw(std::span<const RoutingEntry> table, double number) {
  for (const RoutingEntry& route : table) {
    if (number < route.up_to) return &route;
  }
  return nullptr;
}

}  // namespace harness
