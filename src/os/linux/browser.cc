#include "os/browser.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/try.h"

extern char** environ;

namespace cyclescope::os {
namespace {

bool IsSet(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool HasDisplay() { return IsSet("DISPLAY") || IsSet("WAYLAND_DISPLAY"); }

constexpr char kFolder[] = "XDG_RUNTIME_DIR";

// In the folder that the system keeps for this user's programs while the user is logged in.
Result<std::filesystem::path> FileThatLeadsTo(const std::string& address) {
  if (!IsSet(kFolder)) return Failed("the browser is not opened: XDG_RUNTIME_DIR is not set");
  const std::filesystem::path file =
      std::filesystem::path(std::getenv(kFolder)) / fmt::format("cyclescope-{}.html", getpid());
  std::error_code ignored;
  std::filesystem::remove(file, ignored);  // of a process with this number that was killed
  const int descriptor = open(file.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (descriptor < 0) return SystemError(fmt::format("cannot make '{}'", file.string()), errno);
  const std::string page = fmt::format(
      "<!doctype html><meta http-equiv=\"refresh\" content=\"0; "
      "url={}\"><title>cyclescope</title>\n",
      address);
  const ssize_t written = write(descriptor, page.data(), page.size());
  close(descriptor);
  if (written == static_cast<ssize_t>(page.size())) return file;
  std::filesystem::remove(file, ignored);
  return Failed(fmt::format("cannot write '{}'", file.string()));
}

// What desktops have to open a file with the program that the user chose for it.
Result<void> OpenWithDesktop(const std::filesystem::path& file) {
  std::string program = "xdg-open";
  std::string name = file.string();
  char* words[] = {program.data(), name.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t process = 0;
  const int error = posix_spawnp(&process, program.c_str(), &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return SystemError("the browser is not opened: cannot run xdg-open", error);
  return {};
}

}  // namespace

bool HasDesktop() { return HasDisplay() && IsSet(kFolder) && !IsSet("SSH_CONNECTION"); }

Result<ShownAddress> ShownAddress::Show(const std::string& address) {
  if (!HasDisplay()) return Failed("the browser is not opened: there is no display");
  auto file = TRY(FileThatLeadsTo(address));
  ShownAddress shown(std::move(file));
  TRY(OpenWithDesktop(shown.file_));
  return shown;
}

ShownAddress::ShownAddress(ShownAddress&& other) noexcept
    : file_(std::exchange(other.file_, std::filesystem::path())) {}

ShownAddress::~ShownAddress() {
  if (file_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

}  // namespace cyclescope::os
