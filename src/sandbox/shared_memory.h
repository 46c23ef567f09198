// Memory that the tool and a worker both have, and mapped memory in general, for this folder's use.
// Each folder of an operating system implements it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "cyclescope/base/error.h"

namespace cyclescope::sandbox {

// Addresses and sizes of mappings are multiples of this: a page, or what the system has instead.
std::size_t MappingUnit();

class Mapping {
 public:
  Mapping() = default;
  Mapping(void* begin, std::size_t size) : begin_(begin), size_(size) {}
  Mapping(Mapping&& other) noexcept
      : begin_(std::exchange(other.begin_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Mapping() { Unmap(); }

  std::uint8_t* begin() const { return static_cast<std::uint8_t*>(begin_); }
  std::size_t size() const { return size_; }
  void Unmap();

 private:
  void* begin_ = nullptr;
  std::size_t size_ = 0;
};

enum class Access { kRead, kReadWrite, kReadExecute };

// Zeros at first.
class SharedMemory {
 public:
  // The system's own name for it: a file descriptor or a handle.
  using Handle = std::intptr_t;

  SharedMemory() = default;
  explicit SharedMemory(Handle handle) : handle_(handle) {}
  SharedMemory(SharedMemory&& other) noexcept : handle_(std::exchange(other.handle_, kNone)) {}
  SharedMemory& operator=(SharedMemory&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~SharedMemory();

  static Result<SharedMemory> Create(const char* name, std::size_t size);

  // Maps all of it, at an address that the system chooses. Processes made from this one do not have
  // the mapping.
  Result<Mapping> Map(std::size_t size, Access access) const;

  // Part of it at an address, for the rest of the process: in place of what Reserve took there, or
  // only where nothing is.
  bool MapAt(std::uint8_t* address, std::size_t size, std::size_t offset, Access access) const;
  bool MapWhereFree(std::uint8_t* address, std::size_t size, std::size_t offset,
                    Access access) const;

  // From now on its size is what it is, and (with `contents`) it is never mapped writable again.
  // Where the system cannot do that, nothing happens.
  void Seal(bool contents) const;

  Handle handle() const { return handle_; }

 private:
  static constexpr Handle kNone = -1;

  Handle handle_ = kNone;
};

// Takes `size` bytes of address space at a multiple of `alignment` that nothing can access.
Result<Mapping> Reserve(std::size_t size, std::size_t alignment);

// In a worker: memory of its own, and address space that stays empty, where the tool has reserved.
bool OpenPrivate(std::uint8_t* address, std::size_t size);
bool KeepEmpty(std::uint8_t* address, std::size_t size);
// What OpenPrivate opened is to lie in huge pages, where the system has them. To be called before
// it is touched.
void PreferHugePages(std::uint8_t* address, std::size_t size);

}  // namespace cyclescope::sandbox
