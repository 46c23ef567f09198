// Owners of file descriptors and mapped memory, for this folder's use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/error.h"

namespace cyclescope::sandbox {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor() { Close(); }

  int number() const { return number_; }
  void Close();

 private:
  int number_ = -1;
};

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

// A file of `size` zero bytes that exists in memory only.
Result<FileDescriptor> CreateMemoryFile(const char* name, std::size_t size);

// Maps all of a memory file, shared, where the system likes; `protection` as for mmap. Processes
// forked from this one do not have it.
Result<Mapping> MapShared(const FileDescriptor& file, std::size_t size, int protection);

// Takes `size` bytes of address space at a multiple of `alignment` that nothing can access.
Result<Mapping> Reserve(std::size_t size, std::size_t alignment);

}  // namespace cyclescope::sandbox
