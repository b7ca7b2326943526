#include "harness/record/analysis/fidelity_text.h"

#include <gtest/gtest.h>

#include "harness/core/test_refusal.h"
#include "harness/record/run/test_cells.h"
#include "harness/text/test_squeezed.h"

namespace harness {
namespace {

TEST(FidelityText, TheTableShowsPointsAndNamesWhatIsNotOk) {
  Rows rows = {test_cell("pard", 900), live_cell("pard", 905, "live.repeat=1"),
               live_cell("pard", 899, "live.repeat=2"), test_cell("naive", 500),
               live_cell("naive", 450, "live.repeat=1")};
  rows[4].status = "invalid";
  rows[4].why = "load left late";
  const Fidelity fidelity = fidelity_of(rows, {rate_metrics().front()});
  const std::string table = squeezed(fidelity_table(fidelity));
  EXPECT_TRUE(holds(table, "slo_attainment 2 90% 90.2% +0.2 pt 0.3 pt 1 pt within\n",
                    "slo_attainment 0 50% - - - 1 pt invalid\n",
                    "not ok: naive lv tweet load 1 slo 500 ms emulated live.repeat=1 seed 1: invalid",
                    "2 comparisons: 1 within their tolerance, 0 beyond, 1 invalid\n"));
  EXPECT_TRUE(holds(fidelity_junit(fidelity), "tests=\"2\" failures=\"1\""));
  EXPECT_TRUE(holds(fidelity_json(fidelity), "\"within\": 1,\n\"beyond\": 0,\n\"invalid\": 1,"));
}

}  // namespace
}  // namespace harness
