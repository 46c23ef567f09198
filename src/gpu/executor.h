// What runs kernels: the helper process that has the driver (helper_executor.h), or a
// simulated one in tests. It knows nothing of instructions: text goes in, words come out.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace cyclescope::gpu {

struct DeviceFacts {
  int ordinal = 0;
  std::string name;
  std::string pci;
  int major = 0;  // compute capability
  int minor = 0;
  int multiprocessors = 0;
  int threads_per_multiprocessor = 0;
  int shared_per_multiprocessor = 0;
  int shared_per_block = 0;
  int clock_khz = 0;
  int memory_clock_khz = 0;
  int memory_bus_bits = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t free_bytes = 0;
  int driver_version = 0;  // 12040 is 12.4
  std::vector<int> peers;  // GPUs whose memory it can reach
};

// Every kernel has the parameters (out, memory, upload, a, b, c, d), of 64 bits each.
struct Launch {
  std::string entry;
  unsigned blocks = 1;
  unsigned threads = 32;
  unsigned shared_bytes = 0;  // dynamic
  int shared_percent = -1;    // how much of L1 is to be shared memory; the driver's choice below 0
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t c = 0;
  std::uint64_t d = 0;
};

struct KernelJob {
  int device = 0;
  std::string ptx;
  std::uint64_t memory_bytes = 0;     // scratch memory; zero unless it was used before
  std::vector<std::uint32_t> upload;  // copied to the GPU before
  std::uint64_t out_words = 0;        // of each launch, zero at first
  std::vector<Launch> launches;       // one after the other; none: it is compiled, no more
  std::int64_t limit_ms = 10'000;     // for all of it, compilation too
};

struct KernelResult {
  std::vector<std::uint64_t> out;  // launch by launch
  std::string cubin;               // what the driver's compiler made
};

// Texts that will be wanted soon, compiled by several threads at once. What cannot be compiled says
// so when it is wanted.
struct CompileJob {
  int device = 0;
  std::vector<std::string> texts;
  std::int64_t limit_ms = 60'000;
};

struct CompileResult {
  std::uint64_t compiled = 0;
};

// A word goes from a CPU to the GPU and back. The kernel `answer` has the flags in `memory`.
struct HostTripJob {
  int device = 0;
  std::string ptx;
  int cpu = 0;
  int batches = 0;
  int trips = 0;                   // of a batch
  std::int64_t limit_ms = 60'000;  // the CPU may be busy
};

struct HostTripResult {
  std::vector<double> nanoseconds;  // of a trip, batch by batch
};

// Two kernels on two GPUs, `ping` and `pong`, with one memory, which is the first one's.
struct PeerTripJob {
  int first = 0;
  int second = 0;
  std::string first_ptx;
  std::string second_ptx;
  std::uint64_t out_words = 0;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::int64_t limit_ms = 10'000;
};

struct PeerTripResult {
  std::vector<std::uint64_t> out;  // of `ping`
};

enum class FailureKind {
  kNoLibrary,  // there is no driver
  kNoDriver,   // it does not work
  kNoDevice,
  kCompiler,  // it did not take the text
  kRefused,   // the driver refused something: memory, a launch
  kKernel,    // the kernel did something that it must not; the GPU takes no more from this process
  kTimeout,
  kDied,     // the driver took its process along
  kStopped,  // the tool did not wait any longer
};

struct JobFailure {
  FailureKind kind = FailureKind::kRefused;
  std::string message;  // one line
  std::string hint;
};

template <typename T>
using JobResult = std::expected<T, JobFailure>;

class Executor {
 public:
  virtual ~Executor() = default;

  virtual JobResult<std::vector<DeviceFacts>> Devices() = 0;
  virtual JobResult<KernelResult> Run(const KernelJob& job) = 0;
  virtual JobResult<CompileResult> Run(const CompileJob& job) = 0;
  virtual JobResult<HostTripResult> Run(const HostTripJob& job) = 0;
  virtual JobResult<PeerTripResult> Run(const PeerTripJob& job) = 0;
};

}  // namespace cyclescope::gpu
