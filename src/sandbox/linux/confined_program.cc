#include "sandbox/confined_program.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <linux/filter.h>
#include <linux/mount.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "sandbox/linux/system_call_filter.h"

namespace cyclescope::sandbox {
namespace {

using Clock = std::chrono::steady_clock;

// ---- What both processes know. The child is a copy of a process with threads: it makes system
// calls and nothing else, so that all of this is there before it is made.

struct ChildPlan {
  std::vector<char*> words;
  std::vector<char*> environment;
  std::vector<sock_filter> filter;
  std::string user_map;
  std::string group_map;
  int input = -1;
  int output = -1;
  int errors = -1;
  int report = -1;  // where the child says what it could not do
};

// What the child could not do, and why.
struct Trouble {
  int step = 0;
  int error_number = 0;
};

enum Step { kMapUser, kMountPrivate, kMakeRoot, kMountSystem, kEnterRoot, kLimit, kFilter, kStart };

constexpr std::array<std::string_view, 8> kStepNames = {
    "be a user of its own",          "have mounts of its own",
    "get a root folder of its own",  "see the system's programs",
    "enter its root folder",         "be given limits",
    "be given a system-call filter", "be started"};

class File {
 public:
  File() = default;
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { Close(); }

  int get() const { return descriptor_; }
  void Close() {
    if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
  }

 private:
  int descriptor_ = -1;
};

// ---- In the child

constexpr char kRoot[] = "/tmp";  // where the new root is put together, in the child's own mounts

[[noreturn]] void GiveUp(const ChildPlan& plan, Step step) {
  const Trouble trouble = {step, errno};
  // The owner sees the pipe's end, too, where this does not arrive.
  if (write(plan.report, &trouble, sizeof(trouble)) < 0) _exit(126);
  _exit(127);
}

bool WriteFile(const char* path, std::string_view text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(file);
  return written;
}

bool MapUser(const ChildPlan& plan) {
  // Before Linux 3.19 there was no such file, and no need for it.
  if (!WriteFile("/proc/self/setgroups", "deny") && errno != ENOENT) return false;
  return WriteFile("/proc/self/uid_map", plan.user_map) &&
         WriteFile("/proc/self/gid_map", plan.group_map);
}

bool MakeReadOnly(const char* path) {
  mount_attr attributes = {};
  attributes.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
  if (syscall(SYS_mount_setattr, AT_FDCWD, path, AT_RECURSIVE, &attributes, sizeof(attributes)) ==
      0) {
    return true;
  }
  // Before Linux 5.12; what is mounted below stays as it is.
  return errno == ENOSYS &&
         mount(nullptr, path, nullptr, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV,
               nullptr) == 0;
}

// Shows a folder or file of the system under the new root, where the system has it.
bool Show(const char* path, const char* shown_at) {
  struct stat facts = {};
  if (lstat(path, &facts) != 0) return errno == ENOENT;
  if (S_ISLNK(facts.st_mode)) {
    char target[256];
    const ssize_t length = readlink(path, target, sizeof(target) - 1);
    if (length < 0) return false;
    target[length] = '\0';
    return symlink(target, shown_at) == 0;
  }
  if (S_ISDIR(facts.st_mode)) {
    if (mkdir(shown_at, 0755) != 0) return false;
  } else {
    const int file = open(shown_at, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    if (file < 0) return false;
    close(file);
  }
  return mount(path, shown_at, nullptr, MS_BIND | MS_REC, nullptr) == 0;
}

bool ShowReadOnly(const char* path, const char* shown_at) {
  if (!Show(path, shown_at)) return false;
  struct stat facts = {};
  if (lstat(shown_at, &facts) != 0) return errno == ENOENT;
  return S_ISLNK(facts.st_mode) || MakeReadOnly(shown_at);
}

// Programs with their libraries, and which of several versions is meant. /etc itself stays hidden.
bool ShowSystem() {
  return ShowReadOnly("/usr", "/tmp/usr") && ShowReadOnly("/bin", "/tmp/bin") &&
         ShowReadOnly("/lib", "/tmp/lib") && ShowReadOnly("/lib64", "/tmp/lib64") &&
         mkdir("/tmp/etc", 0755) == 0 && mkdir("/tmp/dev", 0755) == 0 &&
         mkdir("/tmp/tmp", 0700) == 0 &&
         ShowReadOnly("/etc/alternatives", "/tmp/etc/alternatives") &&
         ShowReadOnly("/etc/ld.so.cache", "/tmp/etc/ld.so.cache") &&
         Show("/dev/null", "/tmp/dev/null");
}

bool EnterRoot() {
  // The old root comes to lie over the new one, and is taken off it (man 2 pivot_root).
  return chdir(kRoot) == 0 && syscall(SYS_pivot_root, ".", ".") == 0 &&
         umount2(".", MNT_DETACH) == 0 && chdir("/tmp") == 0;
}

bool SetLimit(int resource, rlim_t value) {
  const rlimit limit = {value, value};
  return setrlimit(static_cast<__rlimit_resource_t>(resource), &limit) == 0;
}

bool SetLimits() {
  constexpr rlim_t kMostMemory = rlim_t{2} << 30;
  constexpr rlim_t kMostFileBytes = rlim_t{32} << 20;
  constexpr rlim_t kMostCpuSeconds = 20;
  // Counted over all processes of the user before Linux 5.14, and so not smaller.
  constexpr rlim_t kMostProcesses = 4096;
  return SetLimit(RLIMIT_AS, kMostMemory) && SetLimit(RLIMIT_FSIZE, kMostFileBytes) &&
         SetLimit(RLIMIT_CPU, kMostCpuSeconds) && SetLimit(RLIMIT_NPROC, kMostProcesses) &&
         SetLimit(RLIMIT_CORE, 0) && SetLimit(RLIMIT_NOFILE, 256);
}

// Others than those three and the report, which closes when the program starts.
void CloseOthers(int report) {
  const auto first = static_cast<unsigned>(STDERR_FILENO + 1);
  const auto kept = static_cast<unsigned>(report);
  const bool below = kept == first || syscall(SYS_close_range, first, kept - 1, 0) == 0;
  if (below && syscall(SYS_close_range, kept + 1, ~0U, 0) == 0) return;
  // Before Linux 5.9.
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  for (int i = STDERR_FILENO + 1; i < static_cast<int>(limit.rlim_cur); ++i) {
    if (i != report) close(i);
  }
}

[[noreturn]] void BeProgram(ChildPlan& plan) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (!MapUser(plan)) GiveUp(plan, kMapUser);
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) GiveUp(plan, kMountPrivate);
  if (mount("tmpfs", kRoot, "tmpfs", MS_NOSUID | MS_NODEV, "size=64m,nr_inodes=4096,mode=755") != 0)
    GiveUp(plan, kMakeRoot);
  if (!ShowSystem()) GiveUp(plan, kMountSystem);
  if (!EnterRoot()) GiveUp(plan, kEnterRoot);
  dup2(plan.input, STDIN_FILENO);
  dup2(plan.output, STDOUT_FILENO);
  dup2(plan.errors, STDERR_FILENO);
  CloseOthers(plan.report);
  setsid();
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (!SetLimits()) GiveUp(plan, kLimit);
  // What the program needs is decided by then; the filter allows the execve.
  if ((errno = InstallSystemCallFilter(plan.filter)) != 0) GiveUp(plan, kFilter);
  execve(plan.words.front(), plan.words.data(), plan.environment.data());
  GiveUp(plan, kStart);
}

// ---- In the owner

Result<File> FileWith(std::string_view contents) {
  File file(memfd_create("cyclescope-input", MFD_CLOEXEC));
  if (file.get() < 0) return SystemError("cannot make a file in memory", errno);
  for (std::string_view rest = contents; !rest.empty();) {
    const ssize_t written = write(file.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return SystemError("cannot write a file in memory", errno);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  lseek(file.get(), 0, SEEK_SET);
  return file;
}

struct Pipe {
  File reading;
  File writing;

  static Result<Pipe> Make() {
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC) != 0) return SystemError("cannot make a pipe", errno);
    return Pipe{File(ends[0]), File(ends[1])};
  }
};

std::vector<char*> Pointers(std::span<const std::string> words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// Reads what there is; false at the end.
bool ReadSome(int descriptor, std::string& text) {
  char bytes[1 << 14];
  const ssize_t got = read(descriptor, bytes, sizeof(bytes));
  if (got > 0) text.append(bytes, static_cast<std::size_t>(got));
  return got > 0 || (got < 0 && errno == EINTR);
}

// Both streams to their ends, or until it may not go on.
ConfinedEnding ReadStreams(const ConfinedProgram& program, int output, int errors,
                           const GoesOn& goes_on, ConfinedResult& result) {
  const auto deadline = Clock::now() + program.wall_limit;
  std::array<pollfd, 2> waiting = {{{output, POLLIN, 0}, {errors, POLLIN, 0}}};
  std::array<std::string*, 2> texts = {&result.output, &result.errors};
  while (waiting[0].fd >= 0 || waiting[1].fd >= 0) {
    if (Clock::now() >= deadline) return ConfinedEnding::kTimedOut;
    if (!MayGoOn(goes_on)) return ConfinedEnding::kStopped;
    constexpr int kPollMs = 50;
    if (poll(waiting.data(), waiting.size(), kPollMs) <= 0) continue;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      if (waiting[i].fd < 0 || waiting[i].revents == 0) continue;
      if (!ReadSome(waiting[i].fd, *texts[i])) waiting[i].fd = -1;
      if (texts[i]->size() > program.most_output) {
        texts[i]->resize(program.most_output);
        return ConfinedEnding::kTooMuchOutput;
      }
    }
  }
  return ConfinedEnding::kExited;
}

// A program may close its output and go on.
int WaitFor(pid_t process, Clock::time_point deadline) {
  int status = 0;
  while (true) {
    const pid_t ended = waitpid(process, &status, WNOHANG);
    if (ended == process || (ended < 0 && errno != EINTR)) return status;
    if (Clock::now() >= deadline) kill(process, SIGKILL);
    usleep(1000);
  }
}

std::unexpected<Error> Explain(const Trouble& trouble, const std::string& program) {
  const auto step = static_cast<std::size_t>(trouble.step);
  return SystemError(fmt::format("{} cannot {}", program,
                                 step < kStepNames.size() ? kStepNames[step] : "be started"),
                     trouble.error_number,
                     trouble.step == kStart ? ""
                                            : "this system does not let users make namespaces "
                                              "(see man 7 user_namespaces)");
}

}  // namespace

Result<void> SystemConfines() { return {}; }

Result<ConfinedResult> RunConfined(const ConfinedProgram& program, const GoesOn& goes_on) {
  auto input = FileWith(program.input);
  auto output = Pipe::Make();
  auto errors = Pipe::Make();
  auto report = Pipe::Make();
  if (!input) return std::unexpected(input.error());
  for (const auto* pipe : {&output, &errors, &report}) {
    if (!*pipe) return std::unexpected(pipe->error());
  }
  const std::vector<std::string> environment = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "HOME=/tmp",
                                                "TMPDIR=/tmp"};
  // Not root inside: a program that is started by root would keep the namespace's capabilities.
  constexpr int kInnerId = 1000;
  ChildPlan plan = {.words = Pointers(program.words),
                    .environment = Pointers(environment),
                    .filter = BuildCompilerFilter(),
                    .user_map = fmt::format("{} {} 1", kInnerId, geteuid()),
                    .group_map = fmt::format("{} {} 1", kInnerId, getegid()),
                    .input = input->get(),
                    .output = output->writing.get(),
                    .errors = errors->writing.get(),
                    .report = report->writing.get()};
  constexpr unsigned long kFlags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
                                   CLONE_NEWIPC | CLONE_NEWUTS | SIGCHLD;
  const auto process = static_cast<pid_t>(syscall(SYS_clone, kFlags, nullptr, nullptr, nullptr, 0));
  if (process == 0) BeProgram(plan);
  if (process < 0) {
    return SystemError(fmt::format("{} cannot get namespaces of its own", program.words.front()),
                       errno,
                       "this system does not let users make them (see man 7 user_namespaces)");
  }
  output->writing.Close();
  errors->writing.Close();
  report->writing.Close();
  ConfinedResult result;
  result.ending =
      ReadStreams(program, output->reading.get(), errors->reading.get(), goes_on, result);
  if (result.ending != ConfinedEnding::kExited) kill(process, SIGKILL);
  const int status = WaitFor(process, Clock::now() + program.wall_limit);
  Trouble trouble;
  if (read(report->reading.get(), &trouble, sizeof(trouble)) == sizeof(trouble))
    return Explain(trouble, program.words.front());
  if (result.ending == ConfinedEnding::kExited && WIFSIGNALED(status))
    result.ending = ConfinedEnding::kKilled;
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

}  // namespace cyclescope::sandbox
