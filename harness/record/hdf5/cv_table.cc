#include "harness/record/hdf5/cv_table.h"

#include <filesystem>
#include <system_error>

#include "harness/core/input_error.h"
#include "harness/record/hdf5/hdf5_handle.h"
#include "harness/record/hdf5/results_format.h"
#include "harness/record/hdf5/staged_file.h"
#include "harness/record/hdf5/stored_table.h"
#include "harness/record/hdf5/table_writer.h"
#include "harness/record/hdf5/verified_file.h"

namespace harness {
namespace {

constexpr std::int64_t kCvFormat = 1;

}  // namespace

void write_cv_table(const std::string& path, const CvTable& table) {
  std::error_code error;
  if (std::filesystem::exists(path, error) && !is_cv_table(path))
    throw input_refusal({path, 0, ""},
                        "no table of harness trace cv, and not replaced by one; choose another name");
  StagedFile staged(path);
  staged.write([&] {
    write_attribute(staged.id(), kFormatAttribute, std::string(kCvFormatName));
    write_attribute(staged.id(), kVersionAttribute, kCvFormat);
    write_attribute(staged.id(), "source", table.source);
    write_attribute(staged.id(), "seed", static_cast<std::int64_t>(table.seed));
    write_table(staged.id(), "cv", table.rows);
  });
  staged.commit();
}

CvTable read_cv_table(const std::string& path) {
  const VerifiedFile file(path);
  return file.read([&] {
    return CvTable{read_text_attribute(file.root(), "source"),
                   static_cast<std::uint64_t>(read_integer_attribute(file.root(), "seed")),
                   read_table<CvRow>(file.root(), "cv")};
  });
}

bool is_cv_table(const std::string& path) {
  try {
    return VerifiedFile(path).format() == kCvFormatName;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace harness
