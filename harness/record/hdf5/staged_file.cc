#include "harness/record/hdf5/staged_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#include "harness/core/environment_error.h"
#include "harness/record/hdf5/file_seal.h"

namespace harness {
namespace {

// An HDF5 file driver for files that are written once: it writes to a descriptor that StagedFile owns and
// remembers the first failure.
constexpr haddr_t kMaxAddress = (haddr_t{1} << 62) - 1;

struct OpenFile {
  H5FD_t common;  // first: the library sees the file through it
  StagedFile::Descriptor* descriptor;
  haddr_t allocated;
};

OpenFile& own(H5FD_t* file) { return *reinterpret_cast<OpenFile*>(file); }
const OpenFile& own(const H5FD_t* file) { return *reinterpret_cast<const OpenFile*>(file); }

H5FD_t* open_file(const char*, unsigned, hid_t access, haddr_t) {
  const void* info = H5Pget_driver_info(access);
  if (info == nullptr) return nullptr;
  OpenFile* file = new OpenFile{};
  std::memcpy(&file->descriptor, info, sizeof file->descriptor);
  return &file->common;
}

herr_t close_file(H5FD_t* file) {
  delete &own(file);
  return 0;
}

int compare(const H5FD_t* a, const H5FD_t* b) {
  const StagedFile::Descriptor* left = own(a).descriptor;
  const StagedFile::Descriptor* right = own(b).descriptor;
  return left == right ? 0 : (left < right ? -1 : 1);
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t allocated(const H5FD_t* file, H5FD_mem_t) { return own(file).allocated; }

herr_t set_allocated(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  own(file).allocated = address;
  return 0;
}

haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) { return own(file).descriptor->end; }

herr_t read_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* buffer) {
  char* at = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t got = ::pread(own(file).descriptor->fd, at, size, static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) {
      std::memset(at, 0, size);
      return 0;
    }
    at += got;
    address += static_cast<haddr_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return 0;
}

herr_t write_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, const void* buffer) {
  StagedFile::Descriptor& descriptor = *own(file).descriptor;
  descriptor.end = std::max(descriptor.end, address + size);
  if (descriptor.error == 0) descriptor.error = write_whole(descriptor.fd, buffer, size, address);
  return 0;
}

herr_t truncate_file(H5FD_t* file, hid_t, hbool_t) {
  OpenFile& open = own(file);
  StagedFile::Descriptor& descriptor = *open.descriptor;
  if (descriptor.error == 0 && ::ftruncate(descriptor.fd, static_cast<off_t>(open.allocated)) != 0) {
    descriptor.error = errno;
  }
  descriptor.end = open.allocated;
  return 0;
}

H5FD_class_t make_class() {
  constexpr H5FD_mem_t kFreeLists[] = H5FD_FLMAP_DICHOTOMY;
  H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 0)
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(600);
#endif
  driver.name = "harness_staged";
  driver.maxaddr = kMaxAddress;
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(StagedFile::Descriptor*);
  driver.open = open_file;
  driver.close = close_file;
  driver.cmp = compare;
  driver.query = query;
  driver.get_eoa = allocated;
  driver.set_eoa = set_allocated;
  driver.get_eof = end_of_file;
  driver.read = read_bytes;
  driver.write = write_bytes;
  driver.truncate = truncate_file;
  std::copy(std::begin(kFreeLists), std::end(kFreeLists), driver.fl_map);
  return driver;
}

/// Returns file access properties that make H5Fcreate write to `descriptor`, which must outlive the file.
Hdf5Handle staged_access(StagedFile::Descriptor& descriptor) {
  // Kept until the program ends: HDF5 still reads the class of a file that closes after its driver is gone.
  static const H5FD_class_t kDriverClass = make_class();
  static const hid_t kDriver = checked(H5FDregister(&kDriverClass), "register the file driver");
  Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "make properties");
  StagedFile::Descriptor* info = &descriptor;
  checked(H5Pset_driver(access.get(), kDriver, &info), "choose the file driver");
  checked(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V18), "set the format's version");
  checked(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG), "set properties");
  return access;
}

/// Opens a new file, which replaces a file that a killed run left. A link or a device was put there by
/// somebody else, and is not written to. Returns the descriptor; negative: failed, with errno.
int open_new(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode)) ::unlink(path.c_str());
  return ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
}

/// Makes the rename itself durable. Some file systems refuse to sync a folder; the file's content is safe
/// nevertheless.
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
  descriptor_.fd = open_new(staged_path_);
  if (descriptor_.fd < 0 && errno == EEXIST)
    throw EnvironmentError(path_ + ": cannot be written: " + staged_path_ +
                           " is there and is no regular file");
  if (descriptor_.fd < 0) {
    descriptor_.error = errno;
    throw_failure("");
  }
  try {
    write([&] {
      const Hdf5Handle access = staged_access(descriptor_);
      const Hdf5Handle untimed(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "make properties");
      checked(H5Pset_obj_track_times(untimed.get(), false), "set properties");
      checked(H5Pset_userblock(untimed.get(), kSealBytes), "leave room for the checksum");
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

void StagedFile::commit(Durable durable) {
  write([&] {
    if (!file_.reset()) throw Hdf5Failure("close the file");
  });
  descriptor_.error = seal_file(descriptor_.fd);
  if (descriptor_.error == 0 && ::fsync(descriptor_.fd) != 0) descriptor_.error = errno;
  if (descriptor_.error == 0 && std::rename(staged_path_.c_str(), path_.c_str()) != 0) {
    descriptor_.error = errno;
  }
  if (descriptor_.error != 0) throw_failure("");
  ::close(descriptor_.fd);
  descriptor_.fd = -1;
  using Clock = std::chrono::steady_clock;
  static Clock::time_point synced_at;
  if (durable == Durable::kSoon && Clock::now() - synced_at < std::chrono::seconds(1)) return;
  synced_at = Clock::now();
  sync_folder_of(path_);
}

void StagedFile::throw_failure(const std::string& task) const {
  const std::string reason =
      descriptor_.error != 0 ? std::strerror(descriptor_.error) : "HDF5 could not " + task;
  throw EnvironmentError(path_ + ": cannot be written: " + reason);
}

void StagedFile::discard() {
  if (descriptor_.error == 0)
    descriptor_.error = ECANCELED;  // bytes that the library still holds need not reach the disk
  file_.reset();
  ::close(descriptor_.fd);
  descriptor_.fd = -1;
  ::unlink(staged_path_.c_str());
}

}  // namespace harness
