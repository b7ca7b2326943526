#include "harness/record/staged_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "harness/core/error.h"

namespace harness {
namespace {

/// Makes the rename itself durable. Some file systems refuse to sync a folder; the file's content is safe
/// without.
void sync_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const int fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

StagedFile::StagedFile(const std::string& path) : path_(path), staged_path_(path + ".tmp") {
  prepare_hdf5();
  descriptor_.fd = ::open(staged_path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor_.fd < 0) {
    descriptor_.error = errno;
    throw_failure("");
  }
  try {
    write([&] {
      const Hdf5Handle access = staged_access(descriptor_);
      const Hdf5Handle untimed(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "make properties");
      checked(H5Pset_obj_track_times(untimed.get(), false), "set properties");
      file_ = Hdf5Handle(H5Fcreate(staged_path_.c_str(), H5F_ACC_TRUNC, untimed.get(), access.get()),
                         H5Fclose, "create the file");
    });
  } catch (...) {
    discard();
    throw;
  }
}

StagedFile::~StagedFile() {
  if (descriptor_.fd >= 0) discard();
}

void StagedFile::commit() {
  write([&] {
    if (!file_.reset()) throw Hdf5Failure("close the file");
  });
  if (::fsync(descriptor_.fd) != 0) descriptor_.error = errno;
  if (descriptor_.error == 0 && std::rename(staged_path_.c_str(), path_.c_str()) != 0) {
    descriptor_.error = errno;
  }
  if (descriptor_.error != 0) throw_failure("");
  ::close(descriptor_.fd);
  descriptor_.fd = -1;
  sync_folder_of(path_);
}

void StagedFile::throw_failure(const std::string& doing) const {
  const std::string reason =
      descriptor_.error != 0 ? std::strerror(descriptor_.error) : "HDF5 could not " + doing;
  throw EnvironmentError(path_ + ": cannot be written: " + reason);
}

void StagedFile::discard() {
  if (descriptor_.error == 0)
    descriptor_.error = ECANCELED;  // what the library still holds need not reach the disk
  file_.reset();
  ::close(descriptor_.fd);
  descriptor_.fd = -1;
  ::unlink(staged_path_.c_str());
}

}  // namespace harness
