#include "harness/record/hdf5/fit_tables.h"

#include <filesystem>
#include <system_error>

#include "harness/core/input_error.h"
#include "harness/record/hdf5/hdf5_handle.h"
#include "harness/record/hdf5/results_format.h"
#include "harness/record/hdf5/staged_file.h"
#include "harness/record/hdf5/table_writer.h"
#include "harness/record/hdf5/verified_file.h"

namespace harness {
namespace {

constexpr std::int64_t kFitFormat = 1;

}  // namespace

void check_replaceable_by_fit(const std::string& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error) && !is_fit(path))
    throw input_refusal({path, 0, ""}, "no results of harness fit, and not replaced by them");
}

bool is_fit(const std::string& path) {
  try {
    return VerifiedFile(path).format() == kFitFormatName;
  } catch (const InputError&) {
    return false;
  }
}

void write_fit(const std::string& path, const FitTables& tables) {
  check_replaceable_by_fit(path);
  StagedFile staged(path);
  staged.write([&] {
    write_attribute(staged.id(), kFormatAttribute, std::string(kFitFormatName));
    write_attribute(staged.id(), kVersionAttribute, kFitFormat);
    write_attribute(staged.id(), "plan", tables.plan);
    write_table(staged.id(), "points", tables.points);
    write_table(staged.id(), "settings", tables.settings);
    write_table(staged.id(), "verdicts", tables.verdicts);
  });
  staged.commit();
}

}  // namespace harness
