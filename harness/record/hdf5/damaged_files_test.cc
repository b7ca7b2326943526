// Damaged files: a file in which anything was changed, cut off or added is refused, and the error names it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/core/random_stream.h"
#include "harness/core/test_refusal.h"
#include "harness/record/hdf5/assemble_results.h"
#include "harness/record/hdf5/cell_contents.h"
#include "harness/record/hdf5/cell_replay.h"
#include "harness/record/hdf5/cv_table.h"
#include "harness/record/hdf5/results_file.h"
#include "harness/record/hdf5/test_edited_file.h"
#include "harness/record/hdf5/test_folder.h"
#include "harness/record/hdf5/test_synthetic_run.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

constexpr int kDamages = 300;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_bytes_to(const std::string& path, const std::string& bytes) {
  fs::remove(path);
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Returns the bytes with a random change; they always differ from before.
std::string damaged_bytes(std::string bytes, RandomStream& random) {
  // Half of the time near the beginning, where the block and HDF5's own tables are.
  const std::size_t reach = random.below(2) == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 4096);
  const std::size_t at = random.below(reach);
  switch (random.below(5)) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
      break;
    case 1:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 + random.below(255)));
      break;
    case 2:
      bytes.resize(at);
      break;
    case 3:
      bytes.insert(at, 1 + random.below(600), static_cast<char>(random.below(256)));
      break;
    default:
      bytes.append(1 + random.below(600), static_cast<char>(random.below(256)));
  }
  return bytes;
}

class DamagedFiles : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    for (const std::uint32_t index : {0U, 1U}) {
      SyntheticSettings settings;
      settings.cell.index = index;
      settings.cell.system = "pard";
      settings.cell.input_hash = hex16(index);
      settings.cell.effective_toml = "x = 1\n";
      settings.seconds = 4;
      write_synthetic_cell(path("cell" + std::to_string(index)), synthetic_run(settings), index == 0);
    }
    assemble_results(path("all.h5"), {path("cell0"), path("cell1")}, {});
  }

  /// Expects each way to read the file to end with one line that names it.
  void expect_refused(const std::string& file, const std::string& words) const {
    const std::vector<std::function<void()>> readings = {
        [&] { read_summary_with_settings(file); },
        [&] { read_cell(file, 0); },
        [&] { read_cell_replay(file, 0); },
        [&] { read_entry_counts(file); },
        [&] { read_start_plans(file); },
        [&] { read_provenance(file); },
        [&] { cell_input_hash(file); },
        [&] {
          assemble_results(path("new.h5"), {path("cell1"), file}, {});
        },
    };
    for (std::size_t i = 0; i < readings.size(); ++i) {
      try {
        readings[i]();
        ADD_FAILURE() << "reading " << i << " accepts the file";
      } catch (const InputError& error) {
        EXPECT_TRUE(holds(error.what(), file, words));
        EXPECT_FALSE(holds(error.what(), "\n"));
      }
    }
    EXPECT_FALSE(fs::exists(path("new.h5")));
    EXPECT_FALSE(fs::exists(path("new.h5.tmp")));
  }
};

TEST_F(DamagedFiles, NoneIsAcceptedAndTheErrorNamesIt) {
  RandomStream random(1, "damage");
  const std::vector<std::string> files = {bytes_of(path("cell0")), bytes_of(path("cell1")),
                                          bytes_of(path("all.h5"))};
  for (int i = 0; i < kDamages; ++i) {
    const std::string& whole = files[random.below(files.size())];
    write_bytes_to(path("damaged.h5"), damaged_bytes(whole, random));
    expect_refused(path("damaged.h5"), "found ");
    ASSERT_FALSE(HasFailure()) << "damage " << i;
    EXPECT_FALSE(is_cv_table(path("damaged.h5")));
  }
}

TEST_F(DamagedFiles, EveryByteOfTheBlockCounts) {
  const std::string whole = bytes_of(path("cell1"));
  for (std::size_t at = 0; at < kSealBytes; ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x20);
    write_bytes_to(path("damaged.h5"), bytes);
    try {
      read_summary(path("damaged.h5"));
      ADD_FAILURE() << "accepted: byte " << at;
    } catch (const InputError& error) {
      EXPECT_TRUE(holds(error.what(), path("damaged.h5"), "its checksum does not match"));
    }
  }
}

TEST_F(DamagedFiles, AFileThatAnotherProgramChangedIsToldFromADamagedOne) {
  write_bytes_to(path("grown.h5"), bytes_of(path("cell1")) + "an attribute");
  expect_refused(path("grown.h5"), "another program has written");
  expect_refused(path("grown.h5"), "results/seal.py " + path("grown.h5"));
  write_bytes_to(path("cut.h5"), bytes_of(path("cell1")).substr(0, 5000));
  expect_refused(path("cut.h5"), "a damaged file");
}

TEST_F(DamagedFiles, AFileIsVerifiedAgainAfterItHasChanged) {
  const std::string whole = bytes_of(path("cell1"));
  EXPECT_EQ(read_summary(path("cell1")).size(), 1U);
  write_bytes_to(path("cell1"), whole + "x");
  EXPECT_THROW(read_summary(path("cell1")), InputError);
  write_bytes_to(path("cell1"), whole);
  EXPECT_EQ(read_summary(path("cell1")).size(), 1U);
}

/// A library that looks for HDF5's signature further on in the file would find it.
TEST_F(DamagedFiles, AnHdf5FileBehindOtherBytesIsNotLookedFor) {
  const std::string content = bytes_of(path("cell1")).substr(kSealBytes);
  write_bytes_to(path("damaged.h5"), std::string(1024, 'x') + content);
  expect_refused(path("damaged.h5"), "not HDF5");
  write_bytes_to(path("damaged.h5"), std::string(kSealBytes, 'x') + content);
  expect_refused(path("damaged.h5"), "its checksum does not match");
}

TEST_F(DamagedFiles, FilesThatOlderVersionsWroteAreReadWithOneWarning) {
  write_bytes_to(path("older.h5"), bytes_of(path("all.h5")).substr(kSealBytes));
  testing::internal::CaptureStderr();
  EXPECT_EQ(read_summary(path("older.h5")).size(), 2U);
  EXPECT_EQ(read_cell(path("older.h5"), 1).summary.cell.system, "pard");
  assemble_results(path("new.h5"), {path("older.h5")}, {});
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "harness: warning: " + path("older.h5") +
                " has no checksum: written by an older version; damage would not be noticed\n");
  testing::internal::CaptureStderr();
  EXPECT_EQ(read_summary(path("new.h5")).size(), 2U);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "a new file has one";
}

TEST_F(DamagedFiles, OfACellThatCannotBeCopiedTheErrorNamesTheSource) {
  ASSERT_GE(H5Ldelete(EditedFile(path("cell0")).get(), "cells/0", H5P_DEFAULT), 0);
  EXPECT_TRUE(holds(refusal_of([&] {
                      assemble_results(path("new.h5"), {path("cell1"), path("cell0")}, {});
                    }),
                    path("cell0"), "could not copy a cell"));
  EXPECT_FALSE(fs::exists(path("new.h5")));
}

}  // namespace
}  // namespace harness
