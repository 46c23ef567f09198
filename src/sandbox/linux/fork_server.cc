#include "sandbox/linux/fork_server.h"

#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/try.h"
#include "os/cpus.h"
#include "os/linux/affinity.h"
#include "os/linux/forked_child.h"
#include "sandbox/linux/be_worker.h"

namespace cyclescope::sandbox {
namespace {

// ---- What the two say to each other. The tool asks, and waits for the answer.

// Behind it come the areas of Surroundings, and beside it a worker's descriptors.
struct Wish {
  pid_t ended = 0;  // the worker whose end is asked for; 0: a new one is
  int cpu = 0;
  std::optional<os::CounterAccess> counters;
  bool scratch = true;
  bool has_contents = false;
  std::uint64_t chase_bytes = 0;
  std::uintptr_t reserved = 0;
};
static_assert(std::is_trivially_copyable_v<Wish>);

struct Answer {
  pid_t worker = 0;
  int status = 0;        // of the one that was ended
  int error_number = 0;  // 0 when all went well
};

// Of shared memory, and of the worker's end of its socket.
enum Descriptor { kSent, kReceived, kPage, kSocket, kDescriptors };
using Descriptors = std::array<int, kDescriptors>;

constexpr std::size_t kMostAreas = 1024;

// Room for descriptors beside a message, aligned as the system wants it.
union Beside {
  cmsghdr header;
  std::array<char, CMSG_SPACE(sizeof(Descriptors))> bytes;
};

bool SendWish(int socket, const Wish& wish, std::span<const MemoryArea> areas,
              const Descriptors* descriptors) {
  std::array<iovec, 2> parts = {iovec{const_cast<Wish*>(&wish), sizeof(wish)},
                                iovec{const_cast<MemoryArea*>(areas.data()), areas.size_bytes()}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  Beside beside{};
  if (descriptors != nullptr) {
    message.msg_control = &beside;
    message.msg_controllen = sizeof(beside);
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(Descriptors));
    std::memcpy(CMSG_DATA(header), descriptors->data(), sizeof(Descriptors));
  }
  ssize_t sent = 0;
  do {
    sent = sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(sizeof(wish) + areas.size_bytes());
}

// False when the tool is gone.
bool ReceiveWish(int socket, Wish& wish, std::vector<MemoryArea>& areas, Descriptors& descriptors) {
  areas.resize(kMostAreas);
  std::array<iovec, 2> parts = {iovec{&wish, sizeof(wish)},
                                iovec{areas.data(), areas.size() * sizeof(areas[0])}};
  Beside beside{};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  message.msg_control = &beside;
  message.msg_controllen = sizeof(beside);
  ssize_t size = 0;
  do {
    size = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  if (size < ssize_t{sizeof(wish)}) return false;
  areas.resize((static_cast<std::size_t>(size) - sizeof(wish)) / sizeof(areas[0]));
  descriptors.fill(-1);
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header != nullptr && header->cmsg_len == CMSG_LEN(sizeof(Descriptors)))
    std::memcpy(descriptors.data(), CMSG_DATA(header), sizeof(Descriptors));
  return true;
}

bool ReceiveAnswer(int socket, Answer& answer) {
  ssize_t size = 0;
  do {
    size = recv(socket, &answer, sizeof(answer), 0);
  } while (size < 0 && errno == EINTR);
  return size == ssize_t{sizeof(answer)};
}

// ---- In the fork server

[[noreturn]] void BecomeWorker(const Wish& wish, std::vector<MemoryArea> areas,
                               const Descriptors& descriptors, pid_t server) {
  const WorkerOptions options{
      .cpu = wish.cpu,
      .counters = wish.counters,
      .surroundings = {.scratch = wish.scratch,
                       .areas = std::move(areas),
                       .chase_bytes = wish.chase_bytes,
                       .contents = std::vector<std::uint8_t>(wish.has_contents ? 1 : 0)},
      .goes_on = {}};
  WorkerMemory memory = WorkerMemory::FromParts({.sent = descriptors[kSent],
                                                 .received = descriptors[kReceived],
                                                 .page = descriptors[kPage],
                                                 .reserved = wish.reserved});
  BeWorker(memory, options, descriptors[kSocket], server);
}

Answer EndWorker(pid_t worker) {
  kill(worker, SIGKILL);
  Answer answer{.worker = worker};
  pid_t reaped = 0;
  do {
    reaped = waitpid(worker, &answer.status, 0);
  } while (reaped < 0 && errno == EINTR);
  if (reaped < 0) answer.error_number = errno;
  return answer;
}

// From its first instruction to its last. All signals are blocked, and stay so.
[[noreturn]] void ServeForks(int socket) {
  constexpr int kOwnSocket = STDERR_FILENO + 1;
  // The thread that asked first may be on the one CPU that is being measured.
  if (const auto cpus = os::CpusOf(getppid())) (void)os::Unpin(*cpus);
  signal(SIGCHLD, SIG_DFL);  // where the tool ignores it, ends could not be awaited
  if (socket != kOwnSocket && dup2(socket, kOwnSocket) < 0) _exit(1);
  closefrom(kOwnSocket + 1);
  const pid_t self = getpid();
  Wish wish;
  std::vector<MemoryArea> areas;
  Descriptors descriptors{};
  while (ReceiveWish(kOwnSocket, wish, areas, descriptors)) {
    Answer answer;
    if (wish.ended != 0) {
      answer = EndWorker(wish.ended);
    } else {
      answer.worker = fork();
      if (answer.worker == 0) BecomeWorker(wish, std::move(areas), descriptors, self);
      if (answer.worker < 0) answer.error_number = errno;
      for (const int descriptor : descriptors) close(descriptor);
    }
    if (send(kOwnSocket, &answer, sizeof(answer), MSG_NOSIGNAL) < 0) break;
  }
  _exit(0);
}

}  // namespace

Result<std::shared_ptr<ForkServer>> ForkServer::Get() {
  static std::mutex mutex;
  static std::weak_ptr<ForkServer> current;
  const std::lock_guard lock(mutex);
  if (auto found = current.lock(); found && found->IsUsable()) return found;

  const auto child = TRY(os::ForkChild({.what = "the process that workers come from",
                                        .socket_type = SOCK_SEQPACKET,
                                        .keeps_signals_blocked = true},
                                       ServeForks));
  auto server = std::make_shared<ForkServer>(child.process, child.socket);
  current = server;
  return server;
}

ForkServer::~ForkServer() {
  const bool is_owner = owner_ == getpid();
  // Any process that was forked meanwhile has the socket, too: closing it alone would not be seen.
  if (is_owner) shutdown(socket_, SHUT_RDWR);
  close(socket_);
  if (!is_owner) return;
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) continue;
}

bool ForkServer::IsUsable() {
  if (owner_ != getpid()) return false;
  const std::lock_guard lock(mutex_);
  // A process that was killed has no open end.
  char byte = 0;
  return recv(socket_, &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

Result<pid_t> ForkServer::Start(const WorkerMemory& memory, const WorkerOptions& options,
                                int socket) {
  const Surroundings& surroundings = options.surroundings;
  const WorkerMemory::Parts parts = memory.parts();
  const Wish wish{.cpu = options.cpu,
                  .counters = options.counters,
                  .scratch = surroundings.scratch,
                  .has_contents = !surroundings.contents.empty(),
                  .chase_bytes = surroundings.chase_bytes,
                  .reserved = parts.reserved};
  const Descriptors descriptors = {static_cast<int>(parts.sent), static_cast<int>(parts.received),
                                   static_cast<int>(parts.page), socket};
  if (surroundings.areas.size() > kMostAreas)
    return Failed("cannot create the worker process: it has too many pieces of memory");
  const std::lock_guard lock(mutex_);
  Answer answer;
  if (!SendWish(socket_, wish, surroundings.areas, &descriptors) ||
      !ReceiveAnswer(socket_, answer)) {
    return Failed("cannot create the worker process: the process that workers come from is gone");
  }
  if (answer.error_number != 0) {
    return SystemError("cannot create the worker process", answer.error_number,
                       "see whether a limit on processes was reached (ulimit -u)");
  }
  return answer.worker;
}

std::optional<int> ForkServer::End(pid_t worker) {
  const std::lock_guard lock(mutex_);
  Answer answer;
  if (!SendWish(socket_, {.ended = worker}, {}, nullptr) || !ReceiveAnswer(socket_, answer) ||
      answer.error_number != 0) {
    return std::nullopt;
  }
  return answer.status;
}

}  // namespace cyclescope::sandbox
