// Chases pointers through a GPU's memory, for the ladder of `memory`: one thread, lines of 128
// bytes, in random order.
//
// A footprint is first read as a whole by all multiprocessors, so that L2 holds as much of it as it
// can; then some thousand of its lines are visited, each once. So the trap of a chase that is too
// short to leave L2 is avoided without visiting every line.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "curves/latency_source.h"
#include "gpu/executor.h"

namespace cyclescope::gpu {

inline constexpr int kGpuLineBytes = 128;
// The driver maps memory in pages of this size.
inline constexpr std::int64_t kGpuPageBytes = std::int64_t{2} << 20;

class GpuChaseSource : public curves::LatencySource {
 public:
  GpuChaseSource(Executor& executor, const DeviceFacts& device, double ghz, std::uint64_t seed);

  Result<curves::ChaseVisit> Visit(const curves::Chase& chase) override;

  // Why the last visit failed, where it did, with its kind.
  const std::optional<JobFailure>& failure() const { return failure_; }

 private:
  Executor& executor_;
  const DeviceFacts& device_;
  double ghz_;
  std::mt19937_64 random_;
  std::string ptx_;
  std::optional<JobFailure> failure_;
};

}  // namespace cyclescope::gpu
