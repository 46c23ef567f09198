#include "gpu/testing/simulated_gpu.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace cyclescope::gpu::testing {
namespace {

std::string_view First(std::string_view opcode) { return opcode.substr(0, opcode.find('.')); }
bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The statements between two readings of the clock.
struct Timed {
  double cycles = 0;   // one after the other
  double threads = 0;  // that a multiprocessor needs for one thread of many
};

// What the compiler leaves out.
bool IsFolded(const PtxStatement& statement, const Wishes& wishes) {
  return wishes.folds && First(statement.opcode) == *wishes.folds && !statement.has_guard;
}

// Moves between registers take no time: the compiler renames.
bool IsFree(const PtxStatement& statement) {
  return First(statement.opcode) == "mov" || First(statement.opcode) == "bra";
}

Timed TimeOf(const PtxEntry& entry, const Wishes& wishes) {
  Timed timed;
  bool is_timed = false;
  for (const PtxStatement& each : entry.statements) {
    if (each.reads_clock) {
      if (is_timed) break;
      is_timed = true;
      continue;
    }
    if (!is_timed || IsFree(each) || IsFolded(each, wishes)) continue;
    timed.cycles += CyclesOf(each.opcode);
    timed.threads += 1 / RateOf(each.opcode);
  }
  return timed;
}

std::uint64_t* Words(std::uint64_t address) { return reinterpret_cast<std::uint64_t*>(address); }

}  // namespace

double CyclesOf(std::string_view opcode) {
  const std::string_view first = First(opcode);
  if (first == "popc" || first == "ex2" || first == "rcp") return 17;
  if (Contains(opcode, "f64")) return 8;
  if (first == "ld" && Contains(opcode, ".shared")) return 23;
  if (first == "ld" && Contains(opcode, ".ca")) return SimulatedGpu::kL1Cycles;
  if (first == "ld" || first == "atom") return SimulatedGpu::kL2Cycles;
  if (first == "mma") return 24;
  if (first == "wgmma") return Contains(opcode, "mma_async") ? 128 : 0;
  return 4;
}

double RateOf(std::string_view opcode) {
  const std::string_view first = First(opcode);
  if (first == "popc" || first == "ex2" || first == "rcp") return 16;
  if (first == "ld" || first == "st" || first == "atom") return 32;
  if (first == "mma") return 8;
  return 128;
}

Wishes ReadWishes(const char* text) {
  Wishes wishes;
  std::string_view rest = text == nullptr ? "" : text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(','), rest.size());
    const std::string word(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t equal = word.find('=');
    const std::string name = word.substr(0, equal);
    const std::string value = equal == std::string::npos ? "" : word.substr(equal + 1);
    if (name == "devices") wishes.devices = std::atoi(value.c_str());
    if (name == "hang") wishes.hangs = value;
    if (name == "trap") wishes.traps = value;
    if (name == "lost") wishes.loses = value;
    if (name == "fold") wishes.folds = value;
    if (name == "jump") wishes.jumps = true;
    if (name == "fail") {
      const std::size_t colon = value.find(':');
      wishes.failing[value.substr(0, colon)] = std::atoi(value.c_str() + colon + 1);
    }
  }
  return wishes;
}

std::optional<int> SimulatedGpu::AttributeOf(int attribute) const {
  switch (attribute) {
    case cuda::kClockRateKhz:
      return 1'500'000;
    case cuda::kMultiprocessors:
      return kMultiprocessors;
    case cuda::kMemoryClockRateKhz:
      return 2'000'000;
    case cuda::kMemoryBusBits:
      return 4096;
    case cuda::kL2Bytes:
      return static_cast<int>(kL2Bytes);
    case cuda::kThreadsPerMultiprocessor:
      return 2048;
    case cuda::kCapabilityMajor:
      return 9;
    case cuda::kCapabilityMinor:
      return 0;
    case cuda::kSharedBytesPerMultiprocessor:
      return 228 * 1024;
    case cuda::kSharedBytesPerBlockOptIn:
      return static_cast<int>(kSharedBytes);
    case cuda::kPciBus:
    case cuda::kPciDevice:
    case cuda::kPciDomain:
      return 0;
    default:
      return std::nullopt;
  }
}

void SimulatedGpu::Execute(const PtxEntry& entry, const LaunchArguments& call,
                           const Wishes& wishes) {
  const auto [out_at, memory_at, upload_at, a, b, c, d] = call.values;
  std::uint64_t* out = Words(out_at);
  const auto reading = [&](double cycles) {
    if (wishes.jumps && ++readings_ % 3 == 0) return std::uint64_t{0} - 12345;
    return static_cast<std::uint64_t>(cycles);
  };
  const std::string& name = entry.name;
  if (name == "fill" || name == "clear" || name == "read_all" || name == "pong") return;
  if (name == "ticks") {
    out[0] = static_cast<std::uint64_t>(kGhz * static_cast<double>(a));
    out[1] = a;
  } else if (name == "scatter") {
    chase_bytes_ = a * b;
  } else if (name == "chase") {
    // What a cache does not hold of the footprint, the next one has to.
    const auto missing = [&](std::size_t bytes) {
      return std::max(0.0, 1 - static_cast<double>(bytes) / static_cast<double>(chase_bytes_));
    };
    const double cycles = kL1Cycles + missing(kL1Bytes) * (kL2Cycles - kL1Cycles) +
                          missing(kL2Bytes) * (kMemoryCycles - kL2Cycles);
    for (std::uint64_t i = 0; i < c; ++i) out[i] = reading(16 * static_cast<double>(b) * cycles);
  } else if (name == "lines") {
    // Even lines are near to the first half of the multiprocessors.
    constexpr std::uint64_t kLines = 96;
    constexpr double kLoads = 32;
    for (std::uint64_t block = 0; block < call.blocks; ++block) {
      std::uint64_t* own = out + block * (kLines + 1);
      own[0] = block;
      for (std::uint64_t line = 0; line < kLines; ++line) {
        const bool is_far = (line % 2 == 0) != (block < kMultiprocessors / 2);
        own[1 + line] =
            static_cast<std::uint64_t>(kLoads * (kL2Cycles + (is_far ? kFarCycles : 0)));
      }
    }
  } else if (name.starts_with("cluster")) {
    // Clusters fill one half of the multiprocessors after the other.
    const std::uint64_t size = std::stoul(name.substr(7));
    const std::uint64_t half = kMultiprocessors / 2;
    for (std::uint64_t block = 0; block < call.blocks; ++block) {
      const std::uint64_t cluster = block / size;
      out[2 * block] = cluster % 2 * half + (cluster + block % size) % half;
      out[2 * block + 1] = cluster;
    }
  } else if (name == "pair") {
    const auto first = static_cast<std::uint32_t>(a);
    const auto second = static_cast<std::uint32_t>(a >> 32);
    const bool is_far = first / 4 != second / 4;
    constexpr std::uint64_t kLines = 6;
    constexpr double kTrips = 10;
    for (std::uint64_t i = 0; i < kLines; ++i)
      out[i] = static_cast<std::uint64_t>(2 * kTrips * (is_far ? 300 : 200));
  } else if (name == "answer") {
    auto* call_at = reinterpret_cast<std::uint64_t*>(memory_at);
    auto* answer_at = reinterpret_cast<std::uint64_t*>(memory_at + b);
    std::thread([call_at, answer_at, last = a] {
      // The one that waits stays on its CPU; this one had better be on another.
      cpu_set_t all;
      std::memset(&all, 0xff, sizeof(all));
      sched_setaffinity(0, sizeof(all), &all);
      for (std::uint64_t want = 1; want <= last; ++want) {
        while (std::atomic_ref(*call_at).load() != want) std::this_thread::yield();
        std::atomic_ref(*answer_at).store(want);
      }
    }).detach();
  } else if (name == "ping") {
    for (std::uint64_t i = 0; i < b; ++i) out[i] = a * 3000;
  } else if (name.starts_with("w")) {
    const Timed timed = TimeOf(entry, wishes);
    for (unsigned warp = 0; warp < call.threads / 32; ++warp) {
      out[2 * warp] = 1000;
      out[2 * warp + 1] = reading(1000 + static_cast<double>(a) * timed.cycles);
    }
  } else if (name.starts_with("t")) {
    const Timed timed = TimeOf(entry, wishes);
    for (unsigned warp = 0; warp < call.blocks * call.threads / 32; ++warp) {
      out[2 * warp] = 1000;
      out[2 * warp + 1] = reading(1100 + static_cast<double>(a) * timed.threads * call.threads);
    }
  } else if (name.starts_with("p")) {
    const Timed timed = TimeOf(entry, wishes);
    for (std::uint64_t i = 0; i < a; ++i) out[i] = reading(40 + timed.cycles);
  }
}

std::string MakeCubin(const PtxModule& module, const Wishes& wishes, std::uint32_t id) {
  // ELF-64: header, names, section headers; the code itself is left out, but its size is told.
  std::string names(1, '\0');
  struct Section {
    std::uint32_t name = 0;
    std::uint64_t bytes = 0;
  };
  std::vector<Section> sections;
  for (const PtxEntry& entry : module.entries) {
    std::uint64_t instructions = 8;
    for (const PtxStatement& each : entry.statements)
      instructions += IsFree(each) || IsFolded(each, wishes) ? 0 : 1;
    sections.push_back(
        {static_cast<std::uint32_t>(names.size()), (16 * instructions + 127) & ~127ULL});
    names += ".text." + entry.name + '\0';
  }
  const auto names_name = static_cast<std::uint32_t>(names.size());
  names += std::string(".shstrtab") + '\0';
  std::string file = "\177ELF\2\1\1";
  constexpr std::size_t kHeader = 64;
  file.resize(kHeader);
  const auto put = [&file](std::size_t at, auto value) {
    if (file.size() < at + sizeof(value)) file.resize(at + sizeof(value));
    std::memcpy(file.data() + at, &value, sizeof(value));
  };
  file += names;
  const std::size_t headers = file.size();
  put(0x28, std::uint64_t{headers});
  put(kCubinId, id);
  put(0x3a, std::uint16_t{kHeader});
  put(0x3c, static_cast<std::uint16_t>(sections.size() + 1));
  put(0x3e, static_cast<std::uint16_t>(sections.size()));
  for (std::size_t i = 0; i <= sections.size(); ++i) {
    const std::size_t at = headers + i * kHeader;
    put(at + kHeader - 8, std::uint64_t{0});
    put(at, i < sections.size() ? sections[i].name : names_name);
    put(at + 0x18, i < sections.size() ? std::uint64_t{0} : std::uint64_t{kHeader});
    put(at + 0x20, i < sections.size() ? sections[i].bytes : std::uint64_t{names.size()});
  }
  return file;
}

}  // namespace cyclescope::gpu::testing
