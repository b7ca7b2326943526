#include "systems/loki/backup.h"

namespace harness {

std::uint32_t choose_backup(std::span<const Backup> backups, TimeNs limit_ns, RandomStream& random) {
  std::uint32_t best = kNone;
  std::uint64_t equals = 0;
  for (std::uint32_t i = 0; i < backups.size(); ++i) {
    const Backup& backup = backups[i];
    if (!(backup.leftover_rps > 0) || backup.exec_ns > limit_ns) continue;
    if (best == kNone || backup.accuracy > backups[best].accuracy) {
      best = i;
      equals = 1;
    } else if (backup.accuracy == backups[best].accuracy && random.below(++equals) == 0) {
      best = i;
    }
  }
  return best;
}

}  // namespace harness
