#include "harness/core/input_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"

namespace harness {
namespace {

/// A folder of this process with one thing of each kind.
class InputFiles : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string socket() const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = path("socket");
    std::strncpy(address.sun_path, name.c_str(), sizeof address.sun_path - 1);
    const int made = ::socket(AF_UNIX, SOCK_STREAM, 0);
    EXPECT_EQ(::bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::close(made);
    return name;
  }

  std::string fifo() const {
    EXPECT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
    return path("fifo");
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("inputs" + std::to_string(::getpid()));
};

TEST_F(InputFiles, NothingButRegularFilesIsOpened) {
  const std::vector<std::pair<std::string, std::string>> kinds = {
      {path(""), "a folder"},        {fifo(), "a pipe (FIFO)"}, {socket(), "a socket"},
      {"/dev/zero", "a device"},     {"/dev/null", "a device"}, {"/dev/urandom", "a device"},
      {path("gone"), "no such file"}};
  for (const auto& [name, kind] : kinds) {
    for (const bool is_linked : {false, true}) {
      const std::string input = is_linked ? path("link") : name;
      if (is_linked) std::filesystem::create_symlink(name, input);
      try {
        const InputFile opened(input, "a trace");
        ADD_FAILURE() << input << " was opened";
      } catch (const InputError& error) {
        EXPECT_EQ(error.what(), input + ": found " + kind + "; allowed: a trace");
      }
      if (is_linked) std::filesystem::remove(input);
    }
  }
}

TEST_F(InputFiles, TheKeyThatNamesAFileIsNamed) {
  const InputPlace key{"e.toml", 3, "trace.t.file"};
  const auto refusal = [&](const std::string& name) {
    try {
      char byte = 0;
      InputFile(name, "a trace", key).read(&byte, 1);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal(path("gone")),
            "e.toml:3: trace.t.file = " + path("gone") + ": found no such file; allowed: a trace");
  EXPECT_EQ(
      refusal(path("") + std::string("\0gone", 5)),
      "e.toml:3: trace.t.file = " + path("") + "\\x00gone: found a path with a zero byte; allowed: a trace");
  // It is opened, and cannot be read.
  EXPECT_EQ(refusal("/proc/self/mem"),
            "e.toml:3: trace.t.file = /proc/self/mem: found Input/output error; allowed: a trace");
}

TEST_F(InputFiles, ARegularFileIsReadToItsEnd) {
  const std::string name = path("text");
  const int written = ::open(name.c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(::write(written, "abcdef", 6), 6);
  ::close(written);
  InputFile file(name);
  EXPECT_EQ(file.size(), 6U);
  char bytes[4];
  EXPECT_EQ(file.read(bytes, sizeof bytes), 4U);
  EXPECT_EQ(file.read(bytes, sizeof bytes), 2U);
  EXPECT_EQ(file.read(bytes, sizeof bytes), 0U);
}

TEST_F(InputFiles, WithoutADescriptorTheEnvironmentFailed) {
  const int next = ::dup(0);
  ::close(next);
  rlimit usual{};
  ::getrlimit(RLIMIT_NOFILE, &usual);
  rlimit none = usual;
  none.rlim_cur = static_cast<rlim_t>(next);
  ::setrlimit(RLIMIT_NOFILE, &none);
  EXPECT_THROW(InputFile("/proc/self/exe"), EnvironmentError);
  ::setrlimit(RLIMIT_NOFILE, &usual);
  EXPECT_NO_THROW(InputFile("/proc/self/exe"));
}

}  // namespace
}  // namespace harness
