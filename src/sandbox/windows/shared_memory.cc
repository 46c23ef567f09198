#include "sandbox/shared_memory.h"

#include <windows.h>

#include "sandbox/windows/handles.h"

namespace cyclescope::sandbox {
namespace {

DWORD RightsOf(Access access) {
  switch (access) {
    case Access::kRead:
      return FILE_MAP_READ;
    case Access::kReadWrite:
      return FILE_MAP_READ | FILE_MAP_WRITE;
    case Access::kReadExecute:
      return FILE_MAP_READ | FILE_MAP_EXECUTE;
  }
  return 0;
}

}  // namespace

std::size_t MappingUnit() {
  static const std::size_t unit = [] {
    SYSTEM_INFO info{};
    GetSystemInfo(&info);
    return std::size_t{info.dwAllocationGranularity};
  }();
  return unit;
}

// One of these fails: it is a view of a section, or it is reserved.
void Mapping::Unmap() {
  if (begin_ != nullptr && UnmapViewOfFile(begin_) == 0) VirtualFree(begin_, 0, MEM_RELEASE);
  begin_ = nullptr;
  size_ = 0;
}

SharedMemory::~SharedMemory() {
  if (handle_ != kNone) CloseHandle(HandleOf(handle_));
}

Result<SharedMemory> SharedMemory::Create(const char* /*name*/, std::size_t size) {
  // A worker inherits the handle, if it is told which.
  SECURITY_ATTRIBUTES inherited{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
  HANDLE section =
      CreateFileMappingW(INVALID_HANDLE_VALUE, &inherited, PAGE_EXECUTE_READWRITE,
                         static_cast<DWORD>(size >> 32), static_cast<DWORD>(size), nullptr);
  if (section == nullptr) return FailedTo("create shared memory for the worker");
  return SharedMemory(reinterpret_cast<Handle>(section));
}

Result<Mapping> SharedMemory::Map(std::size_t size, Access access) const {
  void* begin = MapViewOfFile(HandleOf(handle_), RightsOf(access), 0, 0, size);
  if (begin == nullptr) return FailedTo("map shared memory for the worker");
  return Mapping(begin, size);
}

bool SharedMemory::MapAt(std::uint8_t* address, std::size_t size, std::size_t offset,
                         Access access) const {
  return MapViewOfFileEx(HandleOf(handle_), RightsOf(access), static_cast<DWORD>(offset >> 32),
                         static_cast<DWORD>(offset), size, address) == address;
}

// Windows never replaces what is there. Without an address it would choose one itself.
bool SharedMemory::MapWhereFree(std::uint8_t* address, std::size_t size, std::size_t offset,
                                Access access) const {
  return address != nullptr && MapAt(address, size, offset, access);
}

// A section's size is fixed, and a worker closes its handles when it has its views.
void SharedMemory::Seal(bool /*contents*/) const {}

Result<Mapping> Reserve(std::size_t size, std::size_t alignment) {
  // The worker has to have these addresses, too. It is another process with libraries, heaps and
  // stacks at other places, but all of them are in the lowest terabytes or at the very top (where
  // Windows puts them at random), so we look in between.
  constexpr std::uintptr_t kFirst = 0x5000'0000'0000;
  constexpr std::uintptr_t kStep = std::uintptr_t{1} << 36;
  constexpr int kTries = 64;
  for (int i = 0; i < kTries; ++i) {
    const std::uintptr_t wanted = kFirst + static_cast<std::uintptr_t>(i) * kStep;
    if (wanted % alignment != 0) continue;
    void* begin = VirtualAlloc(reinterpret_cast<void*>(wanted), size, MEM_RESERVE, PAGE_NOACCESS);
    if (begin != nullptr) return Mapping(begin, size);
  }
  return FailedTo("reserve address space for the worker");
}

bool OpenPrivate(std::uint8_t* address, std::size_t size) {
  return VirtualAlloc(address, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE) == address;
}

bool KeepEmpty(std::uint8_t* address, std::size_t size) {
  return VirtualAlloc(address, size, MEM_RESERVE, PAGE_NOACCESS) == address;
}

// Large pages take a right that users rarely have (SeLockMemoryPrivilege).
void PreferHugePages(std::uint8_t* /*address*/, std::size_t /*size*/) {}

}  // namespace cyclescope::sandbox
