#include "sandbox/mapping.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace cyclescope::sandbox {

void FileDescriptor::Close() {
  if (number_ >= 0) close(number_);
  number_ = -1;
}

void Mapping::Unmap() {
  if (begin_ != nullptr) munmap(begin_, size_);
  begin_ = nullptr;
  size_ = 0;
}

Result<FileDescriptor> CreateMemoryFile(const char* name, std::size_t size) {
  FileDescriptor file(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.number() < 0) return SystemError("cannot create shared memory for the worker", errno);
  if (ftruncate(file.number(), static_cast<off_t>(size)) != 0) {
    return SystemError("cannot size shared memory for the worker", errno);
  }
  return file;
}

Result<Mapping> MapShared(const FileDescriptor& file, std::size_t size, int protection) {
  const std::string failure = "cannot map shared memory for the worker";
  void* begin = mmap(nullptr, size, PROT_NONE, MAP_SHARED, file.number(), 0);
  if (begin == MAP_FAILED) return SystemError(failure, errno);
  Mapping mapping(begin, size);
  // Opened last: another thread may fork in between, and its child must see nothing.
  if (madvise(begin, size, MADV_DONTFORK) != 0 || mprotect(begin, size, protection) != 0) {
    return SystemError(failure, errno);
  }
  return mapping;
}

Result<Mapping> Reserve(std::size_t size, std::size_t alignment) {
  const std::size_t generous = size + alignment;
  void* found =
      mmap(nullptr, generous, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) return SystemError("cannot reserve address space for the worker", errno);
  auto* begin = static_cast<std::uint8_t*>(found);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(begin) % alignment;
  const std::size_t behind = generous - before - size;
  if (before != 0) munmap(begin, before);
  if (behind != 0) munmap(begin + before + size, behind);
  return Mapping(begin + before, size);
}

}  // namespace cyclescope::sandbox
