// Threads that stream through memory of their own, one on each CPU: for bandwidth, and as a load
// while something else is measured.
//
//   auto threads = StreamThreads::Start({0, 1}, 64 << 20, {.huge = true});
//   (*threads)->Go({.stream = &stream, .bytes = 1 << 20});
//   const double rate = (*threads)->BytesPerSecond(10ms);
//   (*threads)->Rest();
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "arch/memory_loops.h"
#include "cyclescope/base/error.h"
#include "os/cpus.h"
#include "os/memory_area.h"
#include "os/pinned_threads.h"

namespace cyclescope::memory {

struct StreamJob {
  const arch::Stream* stream = nullptr;
  // Of memory that each thread goes through again and again. Less than a block of the stream, or
  // two of a copy, is nothing to go through, and the threads rest.
  std::size_t bytes = 0;
  std::int64_t pause_ns = 0;  // after every block, so that the load is less than it could be
};

class StreamThreads {
 public:
  // Each thread maps and touches its own memory, so that it lies near its CPU if no node is given.
  static Result<std::unique_ptr<StreamThreads>> Start(const os::CpuList& cpus,
                                                      std::size_t bytes_each,
                                                      const os::AreaWish& wish);
  ~StreamThreads();
  StreamThreads(const StreamThreads&) = delete;
  StreamThreads& operator=(const StreamThreads&) = delete;

  // All threads run the job until told otherwise. A copy needs twice the bytes.
  void Go(const StreamJob& job);
  // What all of them together went through per second, for that long from now on. A copied byte
  // counts twice: it is read and written.
  double BytesPerSecond(std::chrono::nanoseconds duration);
  // The same counter, where the time is measured by other means.
  std::uint64_t BytesSoFar() const;
  // Returns when all of them rest.
  void Rest();

 private:
  struct Thread;

  StreamThreads() = default;
  void WaitUntilIdle();

  std::vector<std::unique_ptr<Thread>> threads_;
  std::unique_ptr<os::PinnedThreads> pinned_;
};

// Of a kind, the widest that a CPU with these features has (sorted, in the kernel's words).
const arch::Stream& WidestStream(arch::StreamKind kind, const std::vector<std::string>& features);

}  // namespace cyclescope::memory
