// Changes to a results file behind the program's back, by somebody who knows about the checksum.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <unistd.h>

#include <string>

#include "harness/record/hdf5/file_seal.h"
#include "harness/record/hdf5/hdf5_handle.h"

namespace harness {

/// Writes the right checksum into the file again.
inline void seal_again(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  EXPECT_EQ(seal_file(fd), 0);
  ::close(fd);
}

/// A results file that is open for changes, and gets the right checksum again at the end.
class EditedFile {
 public:
  explicit EditedFile(const std::string& path)
      : path_(path), file_(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "open") {}
  EditedFile(const EditedFile&) = delete;
  EditedFile& operator=(const EditedFile&) = delete;
  ~EditedFile() {
    EXPECT_TRUE(file_.reset());
    seal_again(path_);
  }
  hid_t get() const { return file_.get(); }

 private:
  std::string path_;
  Hdf5Handle file_;
};

}  // namespace harness
