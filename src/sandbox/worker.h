// The process that runs generated code, seen from the tool. It is forked, not executed, so this
// works inside a library too; it serves run after run, and is started again after it died.
//
//   auto worker = Worker::Start({.cpu = 3});
//   (*worker)->Load(std::vector{once, twice});  // kernels that run off their end
//   const std::vector<Call> calls = {{{.index = 0}, .loops = 100}, {{.index = 1}, .loops = 100}};
//   Outcome outcome = (*worker)->Run(calls);
//
// Not for use by several threads at once. The thread that starts a worker should outlive it: the
// worker ends with that thread, and the next run then starts another. A program that has its
// children reaped for it (by ignoring SIGCHLD) learns of a death, but not always of which.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "result/document.h"
#include "sandbox/executor.h"
#include "sandbox/kernel_code.h"
#include "sandbox/mapping.h"
#include "sandbox/worker_memory.h"
#include "sandbox/worker_options.h"

namespace cyclescope::sandbox {

class Worker final : public CodeExecutor {
 public:
  static Result<std::unique_ptr<Worker>> Start(const WorkerOptions& options);
  ~Worker() override;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  Result<void> Load(std::span<const KernelView> kernels) override;
  Result<std::unique_ptr<CodeExecutor>> Another(const Surroundings& surroundings) override;

  // The scratch memory (ScratchAddress) is all zeros when a run begins.
  Outcome Run(std::span<const Call> calls) override;
  bool has_counters() const override { return options_.counters.has_value(); }

  bool has_system_call_filter() const override { return filter_error_ == 0; }
  std::vector<Warning> Warnings() const override;
  Result<void> MoveTo(int cpu) override;
  int cpu() const override { return options_.cpu; }

  // The present process; 0 if there is none.
  pid_t process() const { return process_; }

  // Ends the present process; the next Run starts another. For code that may have damaged it
  // without killing it.
  void Retire() { EndProcess(); }

 private:
  Worker(const WorkerOptions& options, WorkerMemory memory);

  // One whose process starts with its first run.
  static Result<std::unique_ptr<Worker>> Create(const WorkerOptions& options);
  Result<void> StartProcess();
  Result<void> AwaitSetup();
  void WriteRequest(std::span<const Call> calls);
  bool SendRequest();
  Outcome AwaitAnswer(std::size_t call_count);
  Death CollectDeath();
  // Kills and reaps the process. Its wait status, unset if somebody else has reaped it.
  std::optional<int> EndProcess();

  WorkerOptions options_;
  WorkerMemory memory_;
  std::vector<KernelExtent> extents_;
  std::size_t code_high_water_ = 0;  // bytes of the code region that ever held a kernel
  RunNumber sequence_ = kReady;

  pid_t process_ = 0;
  FileDescriptor socket_;
  int filter_error_ = 0;
};

}  // namespace cyclescope::sandbox
