#include "os/memory_area.h"

#include <fmt/core.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "base/text.h"
#include "base/try.h"
#include "os/cpus.h"
#include "os/linux/files.h"
#include "os/linux/placement.h"

namespace cyclescope::os {
namespace {

constexpr std::size_t kUsualHugePage = std::size_t{2} << 20;

// Memory that is touched later comes from that node or not at all (mbind(2); the kernel's header is
// not installed everywhere).
Result<void> Bind(void* begin, std::size_t bytes, int node) {
  constexpr int kBindPolicy = 2;  // MPOL_BIND
  constexpr int kBitsPerWord = std::numeric_limits<unsigned long>::digits;
  std::array<unsigned long, 16> nodes{};
  if (node < 0 || node >= static_cast<int>(nodes.size()) * kBitsPerWord)
    return BadInput(fmt::format("there is no NUMA node {}", node));
  nodes[static_cast<std::size_t>(node / kBitsPerWord)] = 1UL << (node % kBitsPerWord);
  if (syscall(SYS_mbind, begin, bytes, kBindPolicy, nodes.data(), nodes.size() * kBitsPerWord + 1,
              0) != 0) {
    return SystemError(fmt::format("cannot get memory of NUMA node {}", node), errno);
  }
  return {};
}

// Pages of exactly that size that the administrator has put aside; null where there are none left.
// On a node of which there are none, the first access would end the program, so all are taken
// at once.
void* MapExplicit(std::size_t bytes, std::size_t page, std::optional<int> node) {
  const int size = std::countr_zero(page) << MAP_HUGE_SHIFT;
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | size, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  if (!node) return mapped;
  if (Bind(mapped, bytes, *node) && madvise(mapped, bytes, MADV_POPULATE_WRITE) == 0) return mapped;
  munmap(mapped, bytes);
  return nullptr;
}

// "Rss:       12 kB" to 12288, if that is the key.
std::optional<std::int64_t> KilobytesOf(std::string_view line, std::string_view key) {
  if (!line.starts_with(key)) return std::nullopt;
  line = Trimmed(line.substr(key.size()));
  const std::size_t end = line.find(' ');
  const auto number = ParseNumber<std::int64_t>(line.substr(0, end));
  if (!number) return std::nullopt;
  return *number * 1024;
}

// The first and last address of a mapping's first line: "7f00-7f01 rw-p ...".
std::optional<std::pair<std::uintptr_t, std::uintptr_t>> AddressesOf(std::string_view line) {
  const std::size_t dash = line.find('-');
  const std::size_t end = line.find(' ');
  if (dash == std::string_view::npos || end == std::string_view::npos || dash > end)
    return std::nullopt;
  const auto first = ParseNumber<std::uintptr_t>(line.substr(0, dash), 16);
  const auto last = ParseNumber<std::uintptr_t>(line.substr(dash + 1, end - dash - 1), 16);
  if (!first || !last) return std::nullopt;
  return std::pair(*first, *last);
}

}  // namespace

Result<MemoryArea> MemoryArea::Map(std::size_t bytes, const AreaWish& wish) {
  const std::size_t huge = HugePageBytes().value_or(kUsualHugePage);
  bytes = (bytes + huge - 1) / huge * huge;
  if (wish.huge) {
    if (auto* const mapped = static_cast<std::byte*>(MapExplicit(bytes, huge, wish.node)))
      return MemoryArea(mapped, bytes, mapped, bytes);
  }
  const std::size_t mapped_bytes = bytes + huge;
  void* const mapped = mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    return SystemError(fmt::format("cannot map {} MB of memory", bytes >> 20), errno);
  const auto address = reinterpret_cast<std::uintptr_t>(mapped);
  auto* const begin =
      static_cast<std::byte*>(mapped) + ((address + huge - 1) / huge * huge - address);
  MemoryArea area(static_cast<std::byte*>(mapped), mapped_bytes, begin, bytes);
  // Fails where the kernel has no transparent huge pages; ReadPlacement tells what there is.
  madvise(begin, bytes, wish.huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  if (wish.node) TRY(Bind(begin, bytes, *wish.node));
  return area;
}

MemoryArea::~MemoryArea() {
  if (mapped_ != nullptr) munmap(mapped_, mapped_bytes_);
}

Result<AreaPlacement> MemoryArea::ReadPlacement() const {
  const auto smaps = ReadText("/proc/self/smaps");
  if (!smaps) return SystemError("cannot read /proc/self/smaps", errno);
  const auto begin = reinterpret_cast<std::uintptr_t>(begin_);
  return ParsePlacement(*smaps, begin, begin + bytes_);
}

AreaPlacement ParsePlacement(std::string_view smaps, std::uintptr_t begin, std::uintptr_t end) {
  AreaPlacement placement;
  bool is_ours = false;
  while (!smaps.empty()) {
    const std::string_view line = TakeLine(smaps);
    if (const auto addresses = AddressesOf(line)) {
      is_ours = addresses->first < end && addresses->second > begin;
      continue;
    }
    if (!is_ours) continue;
    if (const auto bytes = KilobytesOf(line, "Rss:")) placement.resident_bytes += *bytes;
    if (const auto bytes = KilobytesOf(line, "AnonHugePages:")) placement.huge_bytes += *bytes;
    if (const auto bytes = KilobytesOf(line, "Swap:")) placement.swapped_bytes += *bytes;
    // Explicit huge pages are not part of Rss.
    for (const std::string_view key : {"Private_Hugetlb:", "Shared_Hugetlb:"}) {
      if (const auto bytes = KilobytesOf(line, key)) {
        placement.resident_bytes += *bytes;
        placement.huge_bytes += *bytes;
      }
    }
  }
  return placement;
}

std::size_t SmallPageBytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

std::optional<std::size_t> HugePageBytes(const std::filesystem::path& root) {
  const auto text = ReadText(root / "sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
  return text ? ParseNumber<std::size_t>(*text) : std::nullopt;
}

namespace {

// What a control group and those that it is in may still use. A batch system's job has its limit in
// a group of its own, at the root of a container's view.
std::optional<std::int64_t> LeftInGroup(const std::filesystem::path& mount, std::string_view group,
                                        const char* limit_file, const char* used_file) {
  // Behind the view's root, a group has a path that leads out of it.
  std::filesystem::path within;
  for (const auto& part : std::filesystem::path(group).relative_path()) {
    if (part == "..") {
      within.clear();
      break;
    }
    within /= part;
  }
  std::optional<std::int64_t> left;
  while (true) {
    const auto limit = ParseNumber<std::int64_t>(ReadTextOrEmpty(mount / within / limit_file));
    const auto used = ParseNumber<std::int64_t>(ReadTextOrEmpty(mount / within / used_file));
    if (limit && used) {
      const std::int64_t own = std::max<std::int64_t>(*limit - *used, 0);
      left = std::min(left.value_or(own), own);
    }
    if (within.empty()) return left;
    within = within.parent_path();
  }
}

// By lines such as "0::/user.slice/job" (version 2) and "9:memory:/job" (version 1).
std::optional<std::int64_t> LeftInGroups(const std::filesystem::path& root) {
  const std::filesystem::path mount = root / "sys/fs/cgroup";
  const std::string text = ReadTextOrEmpty(root / "proc/self/cgroup");
  std::optional<std::int64_t> left = LeftInGroup(mount, "", "memory.max", "memory.current");
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = TakeLine(rest);
    const std::size_t name = line.find(':') + 1;
    const std::size_t path = line.find(':', name);
    if (name == 0 || path == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(name, path - name);
    const std::string_view group = line.substr(path + 1);
    std::optional<std::int64_t> own;
    if (controllers.empty()) {
      own = LeftInGroup(mount, group, "memory.max", "memory.current");
    } else if (controllers == "memory") {
      own = LeftInGroup(mount / "memory", group, "memory.limit_in_bytes", "memory.usage_in_bytes");
    }
    if (own) left = std::min(left.value_or(*own), *own);
  }
  return left;
}

}  // namespace

std::optional<std::int64_t> FreeMemoryBytes(const std::filesystem::path& root) {
  std::optional<std::int64_t> available;
  const std::string text = ReadTextOrEmpty(root / "proc/meminfo");
  for (std::string_view rest = text; !rest.empty();) {
    if (const auto bytes = KilobytesOf(TakeLine(rest), "MemAvailable:")) available = bytes;
  }
  if (const auto left = LeftInGroups(root)) available = std::min(available.value_or(*left), *left);
  return available;
}

void ReturnFreedMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

std::vector<int> MemoryNodes(const std::filesystem::path& root) {
  constexpr std::string_view kAllowed = "Mems_allowed_list:";
  const auto nodes = ParseCpuList(ReadTextOrEmpty(root / "sys/devices/system/node/has_memory"));
  if (!nodes) return {};
  const std::string status = ReadTextOrEmpty(root / "proc/self/status");
  std::string_view lines = status;
  while (!lines.empty()) {
    const std::string_view line = TakeLine(lines);
    if (!line.starts_with(kAllowed)) continue;
    const auto allowed = ParseCpuList(Trimmed(line.substr(kAllowed.size())));
    if (!allowed) break;
    std::vector<int> usable;
    std::ranges::set_intersection(*nodes, *allowed, std::back_inserter(usable));
    return usable;
  }
  return *nodes;
}

}  // namespace cyclescope::os
