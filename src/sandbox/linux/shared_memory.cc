#include "sandbox/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace cyclescope::sandbox {
namespace {

int ProtectionOf(Access access) {
  switch (access) {
    case Access::kRead:
      return PROT_READ;
    case Access::kReadWrite:
      return PROT_READ | PROT_WRITE;
    case Access::kReadExecute:
      return PROT_READ | PROT_EXEC;
  }
  return PROT_NONE;
}

int DescriptorOf(SharedMemory::Handle handle) { return static_cast<int>(handle); }

}  // namespace

std::size_t MappingUnit() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

void Mapping::Unmap() {
  if (begin_ != nullptr) munmap(begin_, size_);
  begin_ = nullptr;
  size_ = 0;
}

SharedMemory::~SharedMemory() {
  if (handle_ != kNone) close(DescriptorOf(handle_));
}

Result<SharedMemory> SharedMemory::Create(const char* name, std::size_t size) {
  const int file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return SystemError("cannot create shared memory for the worker", errno);
  SharedMemory memory(file);
  if (ftruncate(file, static_cast<off_t>(size)) != 0) {
    return SystemError("cannot size shared memory for the worker", errno);
  }
  return memory;
}

Result<Mapping> SharedMemory::Map(std::size_t size, Access access) const {
  const std::string failure = "cannot map shared memory for the worker";
  void* begin = mmap(nullptr, size, PROT_NONE, MAP_SHARED, DescriptorOf(handle_), 0);
  if (begin == MAP_FAILED) return SystemError(failure, errno);
  Mapping mapping(begin, size);
  // Opened last: another thread may fork in between, and its child must see nothing.
  if (madvise(begin, size, MADV_DONTFORK) != 0 ||
      mprotect(begin, size, ProtectionOf(access)) != 0) {
    return SystemError(failure, errno);
  }
  return mapping;
}

bool SharedMemory::MapAt(std::uint8_t* address, std::size_t size, std::size_t offset,
                         Access access) const {
  return mmap(address, size, ProtectionOf(access), MAP_SHARED | MAP_FIXED, DescriptorOf(handle_),
              static_cast<off_t>(offset)) != MAP_FAILED;
}

bool SharedMemory::MapWhereFree(std::uint8_t* address, std::size_t size, std::size_t offset,
                                Access access) const {
  void* got =
      mmap(address, size, ProtectionOf(access), MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_POPULATE,
           DescriptorOf(handle_), static_cast<off_t>(offset));
  if (got == address) return true;
  // A kernel that does not know the flag takes the address for a mere wish.
  if (got != MAP_FAILED) munmap(got, size);
  return false;
}

void SharedMemory::Seal(bool contents) const {
  // An older kernel refuses to seal contents, and the worker still cannot map them, as its filter
  // forbids the system calls that it would take.
  fcntl(DescriptorOf(handle_), F_ADD_SEALS,
        (contents ? F_SEAL_FUTURE_WRITE : 0) | F_SEAL_SHRINK | F_SEAL_GROW);
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

bool OpenPrivate(std::uint8_t* address, std::size_t size) {
  return mprotect(address, size, PROT_READ | PROT_WRITE) == 0;
}

// What the tool reserved, its worker has from it.
bool KeepEmpty(std::uint8_t* /*address*/, std::size_t /*size*/) { return true; }

// A kernel without transparent huge pages refuses, and gives small ones.
void PreferHugePages(std::uint8_t* address, std::size_t size) {
  madvise(address, size, MADV_HUGEPAGE);
}

}  // namespace cyclescope::sandbox
