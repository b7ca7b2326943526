#include "harness/experiment/running/crash_mark.h"

#include <fcntl.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "harness/core/exit_codes.h"
#include "harness/core/input_file.h"

namespace harness {
namespace {

struct FatalSignal {
  int number;
  const char* reason;  // text of the mark
};
constexpr std::array<FatalSignal, 6> kFatal = {{{SIGSEGV, "the program crashed in it: segmentation fault"},
                                                {SIGBUS, "the program crashed in it: bus error"},
                                                {SIGFPE, "the program crashed in it: arithmetic error"},
                                                {SIGILL, "the program crashed in it: illegal instruction"},
                                                {SIGABRT, "the program aborted in it"},
                                                {SIGALRM, "it took longer than twice cell_limit_s"}}};
constexpr std::size_t kLongestText = 4096;  // no path is longer

// All that the handlers need is stored here beforehand: they may call only few functions.
std::array<char, kLongestText> mark_path{};
std::array<char, kLongestText> cell_title_text{};
std::array<struct sigaction, kFatal.size()> before{};
volatile std::sig_atomic_t is_marking = 0;
volatile std::sig_atomic_t starts_again_now = 0;  // 1 if the cell that runs `starts_again`
std::vector<char*> arguments;                     // arguments to start with again; empty: never

void put_text(std::array<char, kLongestText>& to, const std::string& text) {
  const std::size_t length = std::min(text.size(), to.size() - 1);
  std::copy_n(text.begin(), length, to.begin());
  to[length] = '\0';
}

bool say(int file, const char* text) {
  const std::size_t size = std::strlen(text);
  return ::write(file, text, size) == static_cast<ssize_t>(size);
}

/// Starts the program again; returns only if it cannot.
void start_again() {
  itimerval none{};
  ::setitimer(ITIMER_REAL, &none, nullptr);
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_UNBLOCK, &all, nullptr);
  ::close_range(STDERR_FILENO + 1, ~0U, 0);  // locks of files among them
  ::execv("/proc/self/exe", arguments.data());
}

/// Writes the mark. Returns true if it is complete: without it the cell would be run again.
bool write_mark(const char* reason) {
  const int file = ::open(mark_path.data(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (file < 0) return false;
  const bool stands = say(file, reason) && say(file, "\n") && ::fsync(file) == 0;
  ::close(file);
  return stands;
}

void tell(const char* reason, const char* what_follows) {
  for (const char* part :
       {"harness: cell ", static_cast<const char*>(cell_title_text.data()), ": ", reason, what_follows})
    say(STDERR_FILENO, part);
}

void on_fatal(int number, siginfo_t* info, void*) {
  const auto* const fatal = std::find_if(kFatal.begin(), kFatal.end(),
                                         [&](const FatalSignal& one) { return one.number == number; });
  if (is_marking != 0) {
    is_marking = 0;
    const bool is_own = info->si_code > 0 || info->si_pid == ::getpid();
    const bool goes_on = write_mark(fatal->reason) && is_own && starts_again_now != 0 && !arguments.empty();
    tell(fatal->reason, mark_path[0] == '\0' ? ", while its plan was made\n"
                        : goes_on            ? "; going on with the other cells\n"
                                             : "; the same command finishes the other cells\n");
    if (goes_on) start_again();
  }
  if (number == SIGALRM) ::_exit(kEnvironment);
  ::sigaction(number, &before[static_cast<std::size_t>(fatal - kFatal.begin())], nullptr);
  // A fault of the processor comes again on return; a signal that was sent is sent once more.
  if (info->si_code <= 0) ::raise(number);
}

void install_handlers() {
  // The handler has a stack of its own: a stack that has overflowed has no room for it.
  constexpr std::size_t kStackBytes = std::size_t{64} << 10;
  static std::array<char, kStackBytes> other_stack;
  stack_t stack{};
  stack.ss_sp = other_stack.data();
  stack.ss_size = other_stack.size();
  ::sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_fatal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (std::size_t i = 0; i < kFatal.size(); ++i) ::sigaction(kFatal[i].number, &action, &before[i]);
}

void set_alarm(double limit_s) {
  constexpr double kGraceS = 10;
  constexpr double kLongestS = 1e8;  // accepted by all kernels
  itimerval timer{};
  if (limit_s > 0)
    timer.it_value.tv_sec = static_cast<time_t>(std::min(kLongestS, std::ceil(2 * limit_s + kGraceS)));
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace

CrashMark::CrashMark(const std::string& path, const std::string& title, double limit_s, bool starts_again) {
  static const bool kInstalled = (install_handlers(), true);
  static_cast<void>(kInstalled);
  put_text(mark_path, path);
  put_text(cell_title_text, title);
  starts_again_now = starts_again ? 1 : 0;
  is_marking = 1;
  if (limit_s > 0) set_alarm(limit_s);
}

CrashMark::~CrashMark() {
  is_marking = 0;
  set_alarm(0);
}

void start_again_after_crashes() {
  static std::vector<std::string> words;
  std::ifstream command("/proc/self/cmdline", std::ios::binary);
  for (std::string word; std::getline(command, word, '\0');) {
    if (word != "--fresh" && !word.starts_with("--fresh=")) words.push_back(word);
  }
  if (words.empty()) return;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
}

std::string crash_in_mark(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return "";
  std::array<char, kLongestText> text{};
  const std::size_t length = InputFile(path).read(text.data(), text.size());
  const std::string_view said(text.data(), length);
  for (const FatalSignal& one : kFatal) {
    if (said == std::string(one.reason) + "\n") return one.reason;
  }
  return "the program crashed in it: its mark does not say how";
}

}  // namespace harness
