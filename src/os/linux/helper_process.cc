#include "os/helper_process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <utility>

#include "base/try.h"
#include "os/linux/forked_child.h"

namespace cyclescope::os {
namespace {

using SteadyClock = std::chrono::steady_clock;

// A message is its length and then its bytes.
using Length = std::uint64_t;
constexpr Length kMostBytes = Length{1} << 30;

bool WriteAll(int socket, const char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t written = send(socket, data, size, MSG_NOSIGNAL);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    data += written;
    size -= static_cast<std::size_t>(written);
  }
  return true;
}

bool ReadAll(int socket, char* data, std::size_t size) {
  while (size > 0) {
    const ssize_t got = recv(socket, data, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    data += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool SendMessage(int socket, std::string_view text) {
  const Length length = text.size();
  return WriteAll(socket, reinterpret_cast<const char*>(&length), sizeof(length)) &&
         WriteAll(socket, text.data(), text.size());
}

// Ends without a destructor of the owner's, or of a driver that may hang in one.
void RunHelper(int socket, int owner, const std::function<HelperProcess::Serve()>& make) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != owner) return;
  const HelperProcess::Serve serve = make();
  while (true) {
    Length length = 0;
    if (!ReadAll(socket, reinterpret_cast<char*>(&length), sizeof(length))) _exit(0);
    if (length > kMostBytes) _exit(0);
    std::string request(length, '\0');
    if (!ReadAll(socket, request.data(), request.size())) _exit(0);
    if (!SendMessage(socket, serve(request))) _exit(0);
  }
}

std::string HowEnded(int status) {
  if (WIFSIGNALED(status)) return fmt::format("signal {}", WTERMSIG(status));
  return fmt::format("exit code {}", WEXITSTATUS(status));
}

// What has come of an answer so far.
struct Incoming {
  std::string bytes;

  bool has_length() const { return bytes.size() >= sizeof(Length); }
  Length length() const {
    Length length = 0;
    bytes.copy(reinterpret_cast<char*>(&length), sizeof(length));
    return length;
  }
  bool is_whole() const { return has_length() && bytes.size() - sizeof(Length) >= length(); }
};

}  // namespace

void SetEnvironment(const char* name, const char* value) { setenv(name, value, 1); }

Result<HelperProcess> HelperProcess::Start(const std::function<Serve()>& make) {
  const auto child =
      TRY(ForkChild({.what = "a helper", .socket_type = SOCK_STREAM},
                    [owner = getpid(), &make](int socket) { RunHelper(socket, owner, make); }));
  return HelperProcess(child.process, child.socket);
}

HelperProcess::HelperProcess(HelperProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)), socket_(std::exchange(other.socket_, -1)) {}

HelperProcess& HelperProcess::operator=(HelperProcess&& other) noexcept {
  if (this == &other) return *this;
  End();
  process_ = std::exchange(other.process_, -1);
  socket_ = std::exchange(other.socket_, -1);
  return *this;
}

HelperProcess::~HelperProcess() { End(); }

std::string HelperProcess::End() {
  if (process_ < 0) return "";
  close(std::exchange(socket_, -1));
  const int process = std::exchange(process_, -1);
  int status = 0;
  // One that died by itself tells how; the others are killed.
  const auto reaped = [&] { return waitpid(process, &status, WNOHANG) == process; };
  const auto reaped_within = [&](std::chrono::milliseconds limit) {
    const auto deadline = SteadyClock::now() + limit;
    while (!reaped()) {
      if (SteadyClock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
  };
  if (reaped_within(std::chrono::milliseconds(20))) return HowEnded(status);
  kill(process, SIGKILL);
  return reaped_within(std::chrono::seconds(2)) ? HowEnded(status) : "it cannot be killed";
}

HelperAnswer HelperProcess::EndAs(HelperEnding ending) {
  HelperAnswer answer;
  answer.ending = ending;
  answer.how_ended = End();
  return answer;
}

HelperAnswer HelperProcess::Ask(std::string_view request, std::chrono::milliseconds limit,
                                const GoesOn& goes_on) {
  if (!is_alive()) return {.ending = HelperEnding::kDied, .text = {}, .how_ended = "it had ended"};
  const auto deadline = SteadyClock::now() + limit;
  if (!SendMessage(socket_, request)) return EndAs(HelperEnding::kDied);
  Incoming incoming;
  while (!incoming.is_whole()) {
    if (incoming.has_length() && incoming.length() > kMostBytes) return EndAs(HelperEnding::kDied);
    if (!MayGoOn(goes_on)) return EndAs(HelperEnding::kStopped);
    if (SteadyClock::now() >= deadline) return EndAs(HelperEnding::kTimedOut);
    constexpr int kQuestionIntervalMs = 50;
    pollfd waiting = {.fd = socket_, .events = POLLIN, .revents = 0};
    if (poll(&waiting, 1, kQuestionIntervalMs) <= 0) continue;
    char bytes[1 << 16];
    const ssize_t got = recv(socket_, bytes, sizeof(bytes), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return EndAs(HelperEnding::kDied);
    incoming.bytes.append(bytes, static_cast<std::size_t>(got));
  }
  return {.ending = HelperEnding::kAnswered,
          .text = incoming.bytes.substr(sizeof(Length)),
          .how_ended = {}};
}

}  // namespace cyclescope::os
