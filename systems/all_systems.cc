#include "systems/all_systems.h"

#include <array>

#include "systems/clipperpp/clipperpp.h"
#include "systems/clockwork/clockwork.h"
#include "systems/cocktail/cocktail.h"
#include "systems/ds2/ds2.h"
#include "systems/inferline/inferline.h"
#include "systems/infless/infless.h"
#include "systems/loki/loki.h"
#include "systems/naive/naive.h"
#include "systems/nexus/nexus.h"
#include "systems/pard/pard.h"
#include "systems/quart/quart.h"
#include "systems/rag/rag.h"
#include "systems/reserve/reserve.h"
#include "systems/shepherd/shepherd.h"
#include "systems/symphony/symphony.h"
#include "systems/triton/triton.h"

namespace harness {

std::span<const SystemEntry> all_systems() {
  static constexpr std::array kSystems = {
      SystemEntry{"naive", "no dropping at all (the baseline of PARD section 3.1)", make_naive},
      SystemEntry{"clipperpp",
                  "Clipper++: per-module latency budgets, drops what is past its budget (Clipper, NSDI'17; "
                  "PARD section 5.1)",
                  make_clipperpp},
      SystemEntry{"nexus", "Nexus: sliding-window early drop (SOSP'19)", make_nexus},
      SystemEntry{"pard", "PARD: proactive dropping and adaptive priority (EuroSys'26)", make_pard},
      SystemEntry{"rag", "PARD's RAG case: reactive, proactive and predictive dropping (section 7)",
                  make_rag},
      SystemEntry{"shepherd",
                  "SHEPHERD: FLEX, the largest batch of any model first, with preemption (NSDI'23)",
                  make_shepherd},
      SystemEntry{
          "clockwork",
          "Clockwork: the batch that must start first, over all workers (OSDI'20; SHEPHERD section 7)",
          make_clockwork},
      SystemEntry{"symphony",
                  "Symphony: batches deferred until one more request could not join them (its authors' "
                  "scheduler, nexuslb)",
                  make_symphony},
      SystemEntry{"loki",
                  "Loki: hardware scaling, then accuracy scaling of task trees, with opportunistic "
                  "rerouting (HPDC'24)",
                  make_loki},
      SystemEntry{"proteus",
                  "Proteus as Loki's evaluation has it: each task's accuracy scaled by itself (ASPLOS'24; "
                  "Loki section 6.1)",
                  make_proteus, "loki"},
      SystemEntry{"hwscaling",
                  "hardware scaling alone: Loki's first step with the most accurate variants, as Loki's "
                  "evaluation has InferLine (section 6.1)",
                  make_hwscaling, "loki"},
      SystemEntry{"inferline",
                  "InferLine: the cheapest replicas, batches and hardware that meet the SLO, tuned within "
                  "seconds (SoCC'20)",
                  make_inferline},
      SystemEntry{
          "ds2",
          "DS2 on Flink: parallelism for the input rate, no batching, a halt at each change (OSDI'18; "
          "InferLine section 8)",
          make_ds2},
      SystemEntry{"infless",
                  "INFless: a whole model as one function, instances by the rates that they can take "
                  "(ASPLOS'22; QUART section 8)",
                  make_infless},
      SystemEntry{"quart",
                  "QUART: large models in stages, each scaled by its delay and the bursts that reach it",
                  make_quart},
      SystemEntry{"cocktail",
                  "Cocktail's resource manager on a pipeline: whole pipelines by a forecast of the load, and "
                  "by queues (NSDI'22; QUART section 8.1)",
                  make_cocktail},
      SystemEntry{"triton",
                  "Triton's dynamic batcher: batches of what waits, as large as allowed (NVIDIA's "
                  "documentation)",
                  make_triton},
      SystemEntry{"reserve",
                  "reserve, of this project: each request books a place in a batch of every module before it "
                  "enters",
                  make_reserve},
  };
  return kSystems;
}

const SystemEntry* find_system(std::string_view name) {
  for (const SystemEntry& entry : all_systems()) {
    if (name == entry.name) return &entry;
  }
  return nullptr;
}

}  // namespace harness
