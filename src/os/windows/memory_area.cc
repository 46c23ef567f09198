#include "os/memory_area.h"

#include <fmt/core.h>
#include <malloc.h>
#include <windows.h>
// Behind <windows.h>, which it needs.
#include <psapi.h>

#include <algorithm>
#include <array>

#include "os/pages.h"
#include "os/windows/wide_text.h"

namespace cyclescope::os {
namespace {

// The area begins at such a boundary, as it would with huge pages.
constexpr std::size_t kBoundary = std::size_t{2} << 20;

}  // namespace

Result<MemoryArea> MemoryArea::Map(std::size_t bytes, const AreaWish& wish) {
  if (wish.huge) return Failed("Windows gives huge pages only to accounts that may lock memory");
  const std::size_t generous = bytes + kBoundary;
  const DWORD node = wish.node ? static_cast<DWORD>(*wish.node) : NUMA_NO_PREFERRED_NODE;
  void* mapped = VirtualAllocExNuma(GetCurrentProcess(), nullptr, generous,
                                    MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE, node);
  if (mapped == nullptr) {
    return Failed(
        fmt::format("cannot have {} bytes of memory: {}", bytes, WindowsMessage(GetLastError())));
  }
  auto* first = static_cast<std::byte*>(mapped);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(first) % kBoundary;
  return MemoryArea(first, generous, first + before, bytes);
}

MemoryArea::~MemoryArea() {
  if (mapped_ != nullptr) VirtualFree(mapped_, 0, MEM_RELEASE);
}

// What was swapped out is not told from what was never touched.
Result<AreaPlacement> MemoryArea::ReadPlacement() const {
  AreaPlacement placement;
  const std::size_t page = SmallPageBytes();
  std::array<PSAPI_WORKING_SET_EX_INFORMATION, 1024> pages{};
  for (std::size_t done = 0; done < bytes_;) {
    const std::size_t count = std::min(pages.size(), (bytes_ - done + page - 1) / page);
    for (std::size_t i = 0; i < count; ++i) pages[i] = {begin_ + done + i * page, {}};
    if (QueryWorkingSetEx(GetCurrentProcess(), pages.data(),
                          static_cast<DWORD>(count * sizeof(pages[0]))) == 0) {
      return Failed(
          fmt::format("cannot read where memory lies: {}", WindowsMessage(GetLastError())));
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto& attributes = pages[i].VirtualAttributes;
      if (attributes.Valid == 0) continue;
      placement.resident_bytes += static_cast<std::int64_t>(page);
      if (attributes.LargePage != 0) placement.huge_bytes += static_cast<std::int64_t>(page);
    }
    done += count * page;
  }
  return placement;
}

std::size_t SmallPageBytes() { return Pages::BytesPerPage(); }

std::optional<std::size_t> HugePageBytes(const std::filesystem::path& /*root*/) {
  return std::nullopt;
}

std::optional<std::int64_t> FreeMemoryBytes(const std::filesystem::path& /*root*/) {
  MEMORYSTATUSEX status{};
  status.dwLength = sizeof(status);
  if (GlobalMemoryStatusEx(&status) == 0) return std::nullopt;
  return static_cast<std::int64_t>(std::min(status.ullAvailPhys, status.ullAvailPageFile));
}

void ReturnFreedMemory() { _heapmin(); }

std::vector<int> MemoryNodes(const std::filesystem::path& /*root*/) {
  ULONG highest = 0;
  std::vector<int> nodes;
  if (GetNumaHighestNodeNumber(&highest) == 0) return nodes;
  for (USHORT node = 0; node <= highest; ++node) {
    ULONGLONG bytes = 0;
    if (GetNumaAvailableMemoryNodeEx(node, &bytes) != 0) nodes.push_back(node);
  }
  return nodes;
}

}  // namespace cyclescope::os
