// Runs generated code in a process of its own, which serves run after run, and is started again
// after it died. It works inside a library too: on Linux the process is forked, not executed, from
// a small process that lives as long as there are workers; on Windows it is the program itself,
// which becomes a worker before its `main`.
//
//   auto worker = Worker::Start({.cpu = 3});
//   (*worker)->Load(std::vector{once, twice});  // kernels that run off their end
//   const std::vector<Call> calls = {{{.index = 0}, .loops = 100}, {{.index = 1}, .loops = 100}};
//   Outcome outcome = (*worker)->Run(calls);
//
// Not for use by several threads at once.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"
#include "sandbox/executor.h"
#include "sandbox/kernel_code.h"
#include "sandbox/worker_memory.h"
#include "sandbox/worker_options.h"
#include "sandbox/worker_process.h"

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

  bool has_system_call_filter() const override { return setup_.has_filter != 0; }
  bool may_be_emulated() const { return setup_.may_be_emulated != 0; }
  std::vector<Warning> Warnings() const override { return SetupWarnings(setup_); }
  void Relocate(unsigned number) override;
  Result<void> MoveTo(int cpu) override;
  int cpu() const override { return options_.cpu; }

  // The present process; 0 if there is none.
  int process() const { return process_.id(); }

  // Ends the present process; the next Run starts another. For code that may have damaged it
  // without killing it.
  void Retire() { process_.End(); }

 private:
  Worker(const WorkerOptions& options, WorkerMemory memory);

  // One whose process starts with its first run.
  static Result<std::unique_ptr<Worker>> Create(const WorkerOptions& options);
  Result<void> StartProcess();
  Result<void> AwaitSetup();
  void WriteRequest(std::span<const Call> calls);
  // Unset when another process ended it.
  std::optional<Outcome> AwaitAnswer(std::span<const Call> calls);
  std::optional<Death> CollectDeath();

  WorkerOptions options_;
  WorkerMemory memory_;
  std::vector<KernelExtent> extents_;
  std::size_t code_begin_ = 0;  // of the next kernels that are loaded, in the code region
  std::size_t code_end_ = 0;    // of those that are; behind it is nothing
  RunNumber sequence_ = kReady;

  WorkerProcess process_;
  SetupReport setup_;
};

}  // namespace cyclescope::sandbox
