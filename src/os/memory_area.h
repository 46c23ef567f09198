// Memory to be measured: on small or huge pages, on a NUMA node of choice; and what was really had.
//
//   auto area = MemoryArea::Map(1 << 30, {.huge = true});
//   ... touch it ...
//   if (area->ReadPlacement()->huge_bytes < area->bytes()) ...   // the system had too few
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "cyclescope/base/error.h"

namespace cyclescope::os {

struct AreaWish {
  bool huge = false;
  std::optional<int> node;
};

// Where an area's memory lies, by the kernel's account of it.
struct AreaPlacement {
  std::int64_t resident_bytes = 0;
  std::int64_t huge_bytes = 0;  // of these
  std::int64_t swapped_bytes = 0;
};

class MemoryArea {
 public:
  // Maps without touching. Huge pages are explicit ones where the system keeps enough of them, else
  // transparent ones, which it may refuse silently. The area begins at a huge page's boundary.
  static Result<MemoryArea> Map(std::size_t bytes, const AreaWish& wish);

  MemoryArea(MemoryArea&& other) noexcept
      : mapped_(std::exchange(other.mapped_, nullptr)),
        mapped_bytes_(std::exchange(other.mapped_bytes_, 0)),
        begin_(std::exchange(other.begin_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryArea& operator=(MemoryArea&& other) noexcept {
    std::swap(mapped_, other.mapped_);
    std::swap(mapped_bytes_, other.mapped_bytes_);
    std::swap(begin_, other.begin_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MemoryArea();

  std::byte* begin() const { return begin_; }
  std::size_t bytes() const { return bytes_; }

  Result<AreaPlacement> ReadPlacement() const;

 private:
  MemoryArea(std::byte* mapped, std::size_t mapped_bytes, std::byte* begin, std::size_t bytes)
      : mapped_(mapped), mapped_bytes_(mapped_bytes), begin_(begin), bytes_(bytes) {}

  std::byte* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::byte* begin_ = nullptr;
  std::size_t bytes_ = 0;
};

std::size_t SmallPageBytes();
// The size of a huge page that a program can have without asking anyone; unset where the system has
// none.
std::optional<std::size_t> HugePageBytes(const std::filesystem::path& root = "/");

// What a process may still take without others being swapped out: what the kernel calls available,
// or what its control group leaves, whichever is less. Unset where the system does not say.
std::optional<std::int64_t> FreeMemoryBytes(const std::filesystem::path& root = "/");

// Gives back to the system what this process has freed. The C library keeps it otherwise, for each
// of its threads.
void ReturnFreedMemory();

// The NUMA nodes that have memory; empty where the system does not say.
std::vector<int> MemoryNodes(const std::filesystem::path& root = "/");

}  // namespace cyclescope::os
