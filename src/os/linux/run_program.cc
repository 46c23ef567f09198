#include "os/run_program.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>

#include "base/try.h"

extern char** environ;

namespace cyclescope::os {
namespace {

// Reads until the other end is closed; false when that takes too long.
bool ReadToEnd(int descriptor, std::string& text) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (std::chrono::steady_clock::now() < deadline) {
    pollfd waiting = {.fd = descriptor, .events = POLLIN, .revents = 0};
    if (poll(&waiting, 1, 100) <= 0) continue;
    char bytes[1 << 14];
    const ssize_t got = read(descriptor, bytes, sizeof(bytes));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    text.append(bytes, static_cast<std::size_t>(got));
  }
  return false;
}

// A file without a name of its own, which a child finds under /proc/self/fd.
Result<int> FileWith(std::string_view contents) {
  const int file = memfd_create("cyclescope", 0);
  if (file < 0) return SystemError("cannot make a file in memory", errno);
  if (write(file, contents.data(), contents.size()) != static_cast<ssize_t>(contents.size())) {
    close(file);
    return Failed("cannot write a file in memory");
  }
  return file;
}

}  // namespace

Result<std::string> RunProgramOn(const std::string& program,
                                 const std::vector<std::string>& arguments,
                                 std::string_view contents) {
  const auto file = TRY(FileWith(contents));
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) {
    close(file);
    return SystemError("cannot make a pipe", errno);
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  const std::string name = fmt::format("/proc/self/fd/{}", file);
  std::vector<char*> words = {const_cast<char*>(program.c_str())};
  for (const std::string& each : arguments) words.push_back(const_cast<char*>(each.c_str()));
  words.push_back(const_cast<char*>(name.c_str()));
  words.push_back(nullptr);
  pid_t process = 0;
  const int error =
      posix_spawnp(&process, program.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  close(file);
  std::string text;
  bool ended = true;
  int status = 0;
  if (error == 0) {
    ended = ReadToEnd(ends[0], text);
    if (!ended) kill(process, SIGKILL);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  }
  close(ends[0]);
  if (error != 0) return SystemError(fmt::format("cannot run {}", program), error);
  if (!ended || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return Failed(fmt::format("{} failed", program));
  return text;
}

}  // namespace cyclescope::os
