// A bad disk or file gives one clear line, and no half-written file.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <new>

#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"
#include "harness/core/random_stream.h"
#include "harness/core/test_refusal.h"
#include "harness/record/hdf5/assemble_results.h"
#include "harness/record/hdf5/cell_contents.h"
#include "harness/record/hdf5/cell_file_writer.h"
#include "harness/record/hdf5/hdf5_handle.h"
#include "harness/record/hdf5/results_file.h"
#include "harness/record/hdf5/test_folder.h"
#include "harness/record/hdf5/test_synthetic_run.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

class ResultsFailure : public FolderTest {
 protected:
  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
};

SyntheticRun some_run() {
  SyntheticSettings settings;
  settings.cell.system = "pard";
  settings.cell.effective_toml = "x = 1\n";
  settings.seconds = 10;
  settings.mean_rps = 2000;
  return synthetic_run(settings);
}

/// Expects an exception of this type whose text is one line and holds the words.
template <class Exception, class Work, class... Words>
void expect_failure(const Work& work, const Words&... words) {
  try {
    work();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Exception& exception) {
    EXPECT_FALSE(holds(exception.what(), "\n"));
    EXPECT_TRUE(holds(exception.what(), words...));
  }
}

void expect_refused(const std::string& path, const std::string& words) {
  expect_failure<InputError>([&] { read_summary(path); }, words);
}

/// Limits the size of every file of this process while the object lives, as a full disk would.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limited{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST_F(ResultsFailure, AFullDiskAtAnyByteIsOneErrorAndLeavesNothing) {
  const SyntheticRun run = some_run();
  write_synthetic_cell(path("whole"), run, true);
  const auto whole = fs::file_size(path("whole"));
  fs::remove(path("whole"));
  RandomStream random(1, "full disk");
  for (int i = 0; i < 40; ++i) {
    const rlim_t limit = i == 0 ? 0 : (i == 1 ? whole - 1 : random.below(whole));
    const auto write = [&] {
      const FileSizeLimit full(limit);
      write_synthetic_cell(path("cell.h5"), run, true);
    };
    expect_failure<EnvironmentError>(write, path("cell.h5"), "File too large");
    ASSERT_EQ(files_in_folder(), 0u) << "limit " << limit;
  }
  write_synthetic_cell(path("cell.h5"), run, true);
  EXPECT_EQ(read_cell(path("cell.h5"), 0).visits.size(), run.visits.size());
  // Types of rows stay open for reuse, and so are not counted.
  constexpr unsigned kOpen = H5F_OBJ_FILE | H5F_OBJ_GROUP | H5F_OBJ_DATASET | H5F_OBJ_ATTR;
  EXPECT_EQ(H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), kOpen), 0);
}

TEST_F(ResultsFailure, ALackOfMemoryInTheLibraryIsNoDamage) {
  prepare_hdf5();
  const auto fails = [](hid_t major, hid_t minor) {
    H5Eclear2(H5E_DEFAULT);
    H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, major, minor, "failed");
    throw_failure("read rows");
  };
  EXPECT_THROW(fails(H5E_RESOURCE, H5E_NOSPACE), std::bad_alloc);
  EXPECT_THROW(fails(H5E_IO, H5E_READERROR), Hdf5Failure);
  H5Eclear2(H5E_DEFAULT);
}

TEST_F(ResultsFailure, AFullDiskWhileAssemblingKeepsTheCells) {
  write_synthetic_cell(path("a"), some_run(), true);
  const auto whole = fs::file_size(path("a"));
  for (const auto limit : {whole / 10, whole / 2, whole - 100}) {
    const auto assemble = [&] {
      const FileSizeLimit full(limit);
      assemble_results(path("all.h5"), {path("a")}, {});
    };
    expect_failure<EnvironmentError>(assemble, path("all.h5"));
    ASSERT_EQ(files_in_folder(), 1u);
  }
  assemble_results(path("all.h5"), {path("a")}, {});
  EXPECT_EQ(read_summary(path("all.h5")).size(), 1u);
}

TEST_F(ResultsFailure, NothingIsWrittenThroughALinkOrToADevice) {
  std::ofstream(path("precious")) << "a text";
  fs::create_symlink(path("precious"), path("cell.h5.tmp"));
  const auto write = [&] { write_synthetic_cell(path("cell.h5"), some_run(), true); };
  expect_failure<EnvironmentError>(write, path("cell.h5"), "no regular file");
  EXPECT_EQ(fs::file_size(path("precious")), 6U);
  EXPECT_TRUE(fs::is_symlink(path("cell.h5.tmp")));
  fs::remove(path("cell.h5.tmp"));
  ASSERT_EQ(mkfifo(path("cell.h5.tmp").c_str(), 0600), 0);
  expect_failure<EnvironmentError>(write, path("cell.h5"), "no regular file");
  fs::remove(path("cell.h5.tmp"));
  write();
  EXPECT_EQ(files_in_folder(), 2U);
}

TEST_F(ResultsFailure, AFolderThatCannotBeWritten) {
  const std::string missing = path("no/such/folder/cell.h5");
  expect_failure<EnvironmentError>([&] { CellFileWriter(missing, {}, {}); }, missing);
  if (geteuid() == 0) GTEST_SKIP() << "the superuser can write to a read-only folder";
  fs::permissions(folder_, fs::perms::owner_read | fs::perms::owner_exec);
  expect_failure<EnvironmentError>([&] { CellFileWriter(path("cell.h5"), {}, {}); }, "Permission denied");
  fs::permissions(folder_, fs::perms::owner_all);
}

TEST_F(ResultsFailure, AnUnfinishedCellLeavesNothing) {
  const SyntheticRun run = some_run();
  {
    CellFileWriter writer(path("cell.h5"), run.summary.cell, run.module_names);
    writer.requests(run.requests);
    EXPECT_FALSE(fs::exists(path("cell.h5")));
    EXPECT_TRUE(fs::exists(path("cell.h5.tmp")));
  }
  EXPECT_EQ(files_in_folder(), 0u);
}

TEST_F(ResultsFailure, WhatAKilledRunLeftIsOverwritten) {
  std::ofstream(path("cell.h5.tmp")) << std::string(5'000'000, 'x');
  write_synthetic_cell(path("cell.h5"), some_run(), false);
  EXPECT_EQ(files_in_folder(), 1u);
  EXPECT_LT(fs::file_size(path("cell.h5")), 1'000'000u);
  EXPECT_EQ(read_summary(path("cell.h5")).size(), 1u);
}

TEST_F(ResultsFailure, NotAResultsFile) {
  expect_refused(path("none.h5"), "no such file");
  expect_refused(folder_.string(), "a folder");
  std::ofstream(path("text.h5")) << "system,goodput\n";
  expect_refused(path("text.h5"), "not HDF5");
  std::ofstream(path("empty.h5")).flush();
  expect_refused(path("empty.h5"), "not HDF5");
  H5Fclose(H5Fcreate(path("other.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  expect_refused(path("other.h5"), "another program");
  expect_failure<InputError>([&] { cell_input_hash(path("other.h5")); }, path("other.h5"));
}

/// Makes a file that has only the given attributes.
void write_header(const std::string& path, const std::string& format, std::int64_t version) {
  prepare_hdf5();
  const Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, "create");
  write_attribute(file.get(), "format", format);
  write_attribute(file.get(), "format_version", version);
}

TEST_F(ResultsFailure, OtherFormatsAndVersions) {
  write_header(path("a.h5"), "somebody's results", 1);
  expect_refused(path("a.h5"), "another program");
  write_header(path("b.h5"), "harness results", kResultsFormat + 1);
  expect_refused(path("b.h5"), "format_version: found 2; allowed: at most 1");
  write_header(path("c.h5"), "harness results", kResultsFormat);
  expect_refused(path("c.h5"), "damaged");
  expect_failure<InputError>([&] { read_provenance(path("c.h5")); }, "damaged");
}

TEST_F(ResultsFailure, ATruncatedFileAtAnyLength) {
  write_synthetic_cell(path("cell.h5"), some_run(), true);
  const auto whole = fs::file_size(path("cell.h5"));
  RandomStream random(2, "truncated");
  for (int i = 0; i < 40; ++i) {
    fs::copy_file(path("cell.h5"), path("cut.h5"), fs::copy_options::overwrite_existing);
    fs::resize_file(path("cut.h5"), i == 0 ? whole - 1 : random.below(whole));
    expect_refused(path("cut.h5"), path("cut.h5"));
  }
}

TEST_F(ResultsFailure, ACellFileIsNotAnExperiment) {
  write_synthetic_cell(path("cell.h5"), some_run(), false);
  expect_failure<InputError>([&] { read_provenance(path("cell.h5")); }, "assembled file");
}

}  // namespace
}  // namespace harness
