#include "os/pages.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

namespace cyclescope::os {

Result<Pages> Pages::Map(std::size_t count) {
  const std::size_t bytes = count * BytesPerPage();
  void* begin = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) {
    return SystemError(fmt::format("cannot map {} pages of memory", count), errno);
  }
  // Fails where the kernel has no transparent huge pages, which is as good.
  madvise(begin, bytes, MADV_NOHUGEPAGE);
  return Pages(static_cast<std::byte*>(begin), count);
}

Pages::~Pages() {
  if (begin_ != nullptr) munmap(begin_, count_ * BytesPerPage());
}

std::size_t Pages::BytesPerPage() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace cyclescope::os
