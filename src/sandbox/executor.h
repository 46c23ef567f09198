// What executes calls: the worker process (worker.h), or the calling thread for code that is our
// own (in_process_executor.h). Measuring does not need to know which.
//
//   const Outcome outcome = executor.Run(calls);
//   if (const auto* death = std::get_if<Death>(&outcome)) return Crashed(death->reason);
//   const auto& records = std::get<std::vector<CallRecord>>(outcome);  // one per call
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <variant>
#include <vector>

#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"
#include "sandbox/call.h"
#include "sandbox/death.h"
#include "sandbox/kernel_code.h"

namespace cyclescope::sandbox {

// One record per call in the order of the calls, or what ended the worker instead. Calls behind one
// that was too slow (Call::most_percent) were not made, and have no record; that of a look which
// was not needed (Call::max_retries) is empty.
using Outcome = std::variant<std::vector<CallRecord>, Death>;

// The most of Surroundings::pages that are pages of their own.
inline constexpr std::size_t kMostOwnPages = 32;

// The most calls that one Run takes.
inline constexpr std::size_t kMostCalls = 4096;

class Executor {
 public:
  virtual ~Executor() = default;

  // Executes the calls in order, with nothing between them but bookkeeping. A death concerns this
  // run only: the next one finds a new worker.
  virtual Outcome Run(std::span<const Call> calls) = 0;

  // True if records carry what hardware counters said.
  virtual bool has_counters() const = 0;
};

// Memory of its own at an address. Both are multiples of PageSize().
struct MemoryArea {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t offset = 0;  // in the memory file; the worker's owner sets it

  bool operator==(const MemoryArea&) const = default;
};

// What code finds around it.
struct Surroundings {
  // True if the scratch memory is mapped. Code that has its memory in `pages` needs none.
  bool scratch = true;
  // Memory that begins with what `image` holds, area after area, and keeps what is written to it as
  // long as the worker lives.
  std::vector<MemoryArea> areas;
  std::vector<std::uint8_t> image;
  // Addresses of pages (multiples of PageSize()) at which memory is wanted besides. Up to
  // kMostOwnPages of them are pages of their own; of more, all are the same page, so that whatever
  // is touched there stays in the first-level cache. One where something else is, or which the
  // system does not give, is left out.
  std::vector<std::uint64_t> pages;
  // Unless 0: this number of bytes (a power of two, kMostChaseBytes at most) of memory of the
  // worker's own, in huge pages where the system has some, that hold one chain of pointers in
  // random order (chase.h): more than a core's caches hold. KernelPlaces say where.
  std::uint64_t chase_bytes = 0;
  // Where the code has its stack pointer; 0: where KernelPlaces have it. A system that reports
  // faults on the code's own stack adds pages there.
  std::uint64_t stack = 0;
  // What these pages hold after each Entry::Kind::kFillMemory, over and over; empty: what that call
  // says.
  std::vector<std::uint8_t> contents;
  // How long the code may have the CPU in one Run.
  std::chrono::milliseconds time_limit{2000};
  // The same for CodeExecutor::Another where there may be an emulator, for which all code is slow.
  std::chrono::milliseconds emulated_time_limit{2000};

  bool operator==(const Surroundings&) const = default;
};

// One that runs generated code too: the worker, or a simulated core in tests.
class CodeExecutor : public Executor {
 public:
  // One more of the same kind, on the same CPU, for code that is not known: what
  // that damages is its own.
  virtual Result<std::unique_ptr<CodeExecutor>> Another(const Surroundings& surroundings) = 0;
  // Replaces the kernels. See arch/kernel_entry.h for how they are entered and left.
  virtual Result<void> Load(std::span<const KernelView> kernels) = 0;
  // From the next Load on, code and data lie elsewhere: at another place in a page, in other
  // physical memory, in a new process. Some code has several speeds, by where it lies, and stays in
  // one as long as nothing moves. Kernels that know where they lie must not be moved.
  virtual void Relocate(unsigned number) = 0;
  // From the next Run on, calls run on that CPU.
  virtual Result<void> MoveTo(int cpu) = 0;
  virtual int cpu() const = 0;
  // False where the system refuses filters, as under qemu-user: generated code could then make
  // system calls, so callers must not load code that is not known to make none.
  virtual bool has_system_call_filter() const = 0;
  virtual std::vector<Warning> Warnings() const = 0;
};

// Executors that share a CPU: one of them runs at a time. While one runs, the other's owner loads
// its code, or reads what it measured.
//
//   std::mutex turn;  // must outlive both
//   std::unique_ptr<CodeExecutor> first = TakesTurns(std::move(worker), turn);
//   std::unique_ptr<CodeExecutor> second = TakesTurns(std::move(other_worker), turn);
std::unique_ptr<CodeExecutor> TakesTurns(std::unique_ptr<CodeExecutor> executor, std::mutex& turn);

}  // namespace cyclescope::sandbox
