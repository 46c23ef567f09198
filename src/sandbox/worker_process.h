// The process behind a worker, seen from the tool: how it is made, talked to and ended. Each folder
// of an operating system implements it, with the process's own side beside it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"
#include "sandbox/control_block.h"
#include "sandbox/death.h"
#include "sandbox/worker_memory.h"
#include "sandbox/worker_options.h"

namespace cyclescope::sandbox {

// What came of waiting for a message.
enum class Arrival {
  kMessage,
  kNothing,  // yet
  kGarbage,  // something that is no message
  kHangUp,   // the other side is gone
};

// How a process ended.
struct ProcessEnding {
  bool reported_fault = false;  // it says more in its FaultReport
  std::optional<Death> death;   // what ended it, where it did not leave by itself
  int exit_status = 0;          // where it did
};

class ForkServer;  // what Linux forks workers from (linux/fork_server.h)

class WorkerProcess {
 public:
  // No process.
  WorkerProcess() = default;
  WorkerProcess(WorkerProcess&& other) noexcept
      : id_(std::exchange(other.id_, 0)),
        process_(std::exchange(other.process_, kNone)),
        channel_(std::exchange(other.channel_, {})),
        asked_(std::exchange(other.asked_, kReady)),
        fork_server_(std::exchange(other.fork_server_, nullptr)) {}
  WorkerProcess& operator=(WorkerProcess&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(process_, other.process_);
    std::swap(channel_, other.channel_);
    std::swap(asked_, other.asked_);
    std::swap(fork_server_, other.fork_server_);
    return *this;
  }
  ~WorkerProcess() { End(); }

  // True if starting one takes less than a millisecond or two.
  static bool StartsQuickly();
  // One that sets itself up; its first message tells that it has.
  static Result<WorkerProcess> Start(WorkerMemory& memory, const WorkerOptions& options);

  int id() const { return id_; }  // 0 if there is none
  // False when the process is gone.
  bool Send(RunNumber number);
  // Waits for one message, whatever signals arrive meanwhile.
  Arrival Receive(std::chrono::milliseconds patience, RunNumber& message);
  // How long it has had a CPU.
  std::chrono::nanoseconds TimeRun() const;
  Result<void> MoveTo(int cpu) const;
  // Has the system end a run that takes longer, where it could keep the tool from doing so. Not
  // meant for setting up, which takes as long as the system makes it wait.
  void LimitRuns(std::chrono::milliseconds limit) const;

  // Kills it and waits for its end; unset if another thread has done that, or there is none. A
  // process that is ending already keeps the status that it ends with.
  std::optional<ProcessEnding> End();

 private:
  using Handle = std::intptr_t;
  static constexpr Handle kNone = -1;

  // Descriptors or handles, as the system has them.
  struct Channel {
    Handle requests = kNone;
    Handle answers = kNone;
    Handle thread = kNone;    // the one that executes
    Handle lifeline = kNone;  // closing it ends the process
  };

  int id_ = 0;
  Handle process_ = kNone;
  Channel channel_;
  RunNumber asked_ = kReady;  // what it was last asked for
  // Kept when the process has ended: the next one is to come from the same.
  std::shared_ptr<ForkServer> fork_server_;
};

// Workers that are made while this lives start as quickly as now, however much memory the tool has
// taken since: on Linux they are copies of a copy of the tool, which else is made anew whenever
// there are none. Null where that is no matter, or cannot be.
std::shared_ptr<void> KeepWorkersQuick();

// The death that a process reports.
Death DeathByFault(const FaultReport& report, std::optional<CodePlace> place);

// What readers should know of a worker that was set up like that.
std::vector<Warning> SetupWarnings(const SetupReport& setup);

}  // namespace cyclescope::sandbox
