// A simulated GPU: eight multiprocessors, two parts of L2, and a time for every instruction.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/driver_api.h"
#include "gpu/testing/ptx_check.h"

namespace cyclescope::gpu::testing {

// What is wrong with the GPU and its driver.
struct Wishes {
  int devices = 1;
  std::map<std::string, cuda::Status> failing;
  std::optional<std::string> hangs;
  std::optional<std::string> traps;
  std::optional<std::string> loses;
  std::optional<std::string> folds;
  bool jumps = false;
};
Wishes ReadWishes(const char* text);

struct LaunchArguments {
  unsigned blocks = 1;
  unsigned threads = 1;
  std::array<std::uint64_t, 7> values = {};  // out, memory, upload, a, b, c, d
};

class SimulatedGpu {
 public:
  static constexpr int kMultiprocessors = 8;
  static constexpr std::size_t kMemoryBytes = std::size_t{4} << 30;
  static constexpr std::size_t kL2Bytes = std::size_t{4} << 20;
  static constexpr std::size_t kL1Bytes = std::size_t{256} << 10;
  static constexpr unsigned kSharedBytes = 227 * 1024;
  static constexpr double kGhz = 1.5;
  // Cycles of a load from L1, L2 and memory; and what a farther part of L2 adds.
  static constexpr double kL1Cycles = 32;
  static constexpr double kL2Cycles = 200;
  static constexpr double kFarCycles = 100;
  static constexpr double kMemoryCycles = 600;

  std::optional<int> AttributeOf(int attribute) const;

  // Writes what the kernel would leave in `out`.
  void Execute(const PtxEntry& entry, const LaunchArguments& call, const Wishes& wishes);

 private:
  std::uint64_t chase_bytes_ = 0;  // of the last footprint that was laid out
  int readings_ = 0;
};

// Latency of an instruction, by its opcode; and how many threads execute it in a cycle.
double CyclesOf(std::string_view opcode);
double RateOf(std::string_view opcode);

// The file that the compiler would make: one section of code for each kernel. `id` stands in its
// header, at kCubinId.
inline constexpr std::size_t kCubinId = 0x30;
std::string MakeCubin(const PtxModule& module, const Wishes& wishes, std::uint32_t id);

}  // namespace cyclescope::gpu::testing
