#include "sandbox/worker_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <utility>

namespace cyclescope::sandbox {
namespace {

// The largest page that Linux has on our architectures (AArch64 with 64 KiB pages): all regions
// are multiples of it, so that their protections never meet in one page.
constexpr std::size_t kLargestPage = 64 * kKibi;
constexpr std::size_t kGuardSize = kLargestPage;

constexpr std::size_t WholePages(std::size_t size) {
  return (size + kLargestPage - 1) / kLargestPage * kLargestPage;
}

constexpr std::size_t kScratchRegionSize = kScratchMargin + kScratchSize + kScratchMargin;
constexpr std::size_t kKernelStackSize = 256 * kKibi;
// Signal frames hold every vector, matrix and tile register there is: tens of KiB with SVE or AMX.
constexpr std::size_t kSignalStackSize = 256 * kKibi;
static_assert(kScratchRegionSize % kLargestPage == 0);

// The file that the tool writes.
constexpr std::size_t kRequestOffset = kCodeSize;
constexpr std::size_t kRequestSize = WholePages(sizeof(Request));
constexpr std::size_t kSentSize = kRequestOffset + kRequestSize;
constexpr std::size_t kReceivedSize = WholePages(sizeof(Response));

// The worker's addresses, relative to the reservation: each region with a guard behind it. The code
// comes first, as it has to be aligned, and needs no guard before it, as nobody can write to it.
constexpr std::size_t kCodeAt = 0;
constexpr std::size_t kRequestAt = kCodeAt + kCodeSize + kGuardSize;
constexpr std::size_t kReceivedAt = kRequestAt + kRequestSize + kGuardSize;
constexpr std::size_t kScratchAt = kReceivedAt + kReceivedSize + kGuardSize;
constexpr std::size_t kWindowAt = kScratchAt + kScratchRegionSize + kGuardSize;
constexpr std::size_t kPageImageAt = kWindowAt + kWindowSize + kGuardSize;
constexpr std::size_t kKernelStackAt = kPageImageAt + kLargestPage + kGuardSize;
constexpr std::size_t kSignalStackAt = kKernelStackAt + kKernelStackSize + kGuardSize;
constexpr std::size_t kReservedSize = kSignalStackAt + kSignalStackSize + kGuardSize;

// The process's one reservation. In the tool nothing is ever mapped there; each worker maps its own
// memory over it after the fork.
const Result<Mapping>& Reservation() {
  static const Result<Mapping> reserved = Reserve(kReservedSize, kCodeSize);
  return reserved;
}

}  // namespace

Result<std::uintptr_t> ScratchAddress() {
  const Result<Mapping>& reserved = Reservation();
  if (!reserved) return std::unexpected(reserved.error());
  return reinterpret_cast<std::uintptr_t>(reserved->begin() + kScratchAt + kScratchMargin);
}

Result<KernelPlaces> FindKernelPlaces() {
  const Result<Mapping>& reserved = Reservation();
  if (!reserved) return std::unexpected(reserved.error());
  const auto begin = reinterpret_cast<std::uintptr_t>(reserved->begin());
  return KernelPlaces{.code = begin + kCodeAt,
                      .window = begin + kWindowAt,
                      .stack = begin + kKernelStackAt + kKernelStackSize / 2,
                      .count = begin + kKernelStackAt + kKernelStackSize - sizeof(std::uint64_t)};
}

std::size_t PageSize() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

Result<WorkerMemory> WorkerMemory::Create() {
  WorkerMemory memory;
  auto sent = CreateMemoryFile("cyclescope-to-worker", kSentSize);
  if (!sent) return std::unexpected(sent.error());
  auto received = CreateMemoryFile("cyclescope-from-worker", kReceivedSize);
  if (!received) return std::unexpected(received.error());
  auto page = CreateMemoryFile("cyclescope-page", 2 * PageSize());
  if (!page) return std::unexpected(page.error());
  auto page_view = MapShared(*page, 2 * PageSize(), PROT_READ | PROT_WRITE);
  if (!page_view) return std::unexpected(page_view.error());
  auto sent_view = MapShared(*sent, kSentSize, PROT_READ | PROT_WRITE);
  if (!sent_view) return std::unexpected(sent_view.error());
  auto received_view = MapShared(*received, kReceivedSize, PROT_READ);
  if (!received_view) return std::unexpected(received_view.error());
  const Result<Mapping>& reserved = Reservation();
  if (!reserved) return std::unexpected(reserved.error());

  // From here on nobody can map the code writable again. An older kernel refuses, and the worker
  // still cannot, as its filter forbids the system calls that it would take.
  fcntl(sent->number(), F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW);
  fcntl(received->number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
  fcntl(page->number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);

  memory.sent_ = std::move(*sent);
  memory.received_ = std::move(*received);
  memory.page_ = std::move(*page);
  memory.page_view_ = std::move(*page_view);
  memory.sent_view_ = std::move(*sent_view);
  memory.received_view_ = std::move(*received_view);
  memory.reserved_ = reserved->begin();
  // A new file holds zeros, as a new Request and a new Response do.
  return memory;
}

Request& WorkerMemory::request() const {
  return *std::launder(reinterpret_cast<Request*>(Sent(kRequestOffset)));
}

const Response& WorkerMemory::response() const {
  return *std::launder(reinterpret_cast<const Response*>(received_view_.begin()));
}

void WorkerMemory::SetPageImage(std::span<const std::uint8_t> contents) const {
  if (contents.empty()) return;
  std::uint8_t* image = page_view_.begin() + PageSize();
  for (std::size_t i = 0; i < PageSize(); ++i) image[i] = contents[i % contents.size()];
}

Result<void> WorkerMemory::BecomeWorker(const Surroundings& surroundings) {
  const auto map = [this](std::size_t at, std::size_t size, int protection,
                          const FileDescriptor& file, std::size_t offset) {
    return mmap(reserved_ + at, size, protection, MAP_SHARED | MAP_FIXED, file.number(),
                static_cast<off_t>(offset)) != MAP_FAILED;
  };
  const auto open = [this](std::size_t at, std::size_t size) {
    return mprotect(reserved_ + at, size, PROT_READ | PROT_WRITE) == 0;
  };
  const bool mapped = map(kCodeAt, kCodeSize, PROT_READ | PROT_EXEC, sent_, 0) &&
                      map(kRequestAt, kRequestSize, PROT_READ, sent_, kRequestOffset) &&
                      map(kReceivedAt, kReceivedSize, PROT_READ | PROT_WRITE, received_, 0) &&
                      map(kPageImageAt, PageSize(), PROT_READ, page_, PageSize()) &&
                      (!surroundings.scratch || open(kScratchAt, kScratchRegionSize)) &&
                      open(kKernelStackAt, kKernelStackSize) &&
                      open(kSignalStackAt, kSignalStackSize);
  if (!mapped) return SystemError("cannot map the worker's memory", errno);
  for (std::size_t at = 0; at < kWindowSize; at += PageSize()) {
    if (!map(kWindowAt + at, PageSize(), PROT_READ | PROT_WRITE, page_, 0))
      return SystemError("cannot map the worker's memory", errno);
  }
  for (const std::uint64_t address : surroundings.pages) {
    void* wanted = reinterpret_cast<void*>(address);
    void* got = mmap(wanted, PageSize(), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_POPULATE, page_.number(), 0);
    // A kernel that does not know the flag takes the address for a mere wish.
    if (got != MAP_FAILED && got != wanted) munmap(got, PageSize());
  }
  return {};
}

std::uintptr_t WorkerMemory::code_address() const {
  return reinterpret_cast<std::uintptr_t>(reserved_ + kCodeAt);
}

std::uintptr_t WorkerMemory::scratch_address() const {
  return reinterpret_cast<std::uintptr_t>(reserved_ + kScratchAt + kScratchMargin);
}

std::uintptr_t WorkerMemory::kernel_stack_pointer() const {
  return reinterpret_cast<std::uintptr_t>(reserved_ + kKernelStackAt + kKernelStackSize / 2);
}

std::span<std::uint8_t> WorkerMemory::signal_stack() const {
  return {reserved_ + kSignalStackAt, kSignalStackSize};
}

const Request& WorkerMemory::worker_request() const {
  return *std::launder(reinterpret_cast<const Request*>(reserved_ + kRequestAt));
}

Response& WorkerMemory::worker_response() const {
  return *std::launder(reinterpret_cast<Response*>(reserved_ + kReceivedAt));
}

std::span<std::uint64_t> WorkerMemory::scratch_words() const {
  return {reinterpret_cast<std::uint64_t*>(reserved_ + kScratchAt),
          kScratchRegionSize / sizeof(std::uint64_t)};
}

std::span<std::uint64_t> WorkerMemory::page_words() const {
  return {reinterpret_cast<std::uint64_t*>(reserved_ + kWindowAt),
          PageSize() / sizeof(std::uint64_t)};
}

std::span<const std::uint64_t> WorkerMemory::page_image_words() const {
  return {reinterpret_cast<const std::uint64_t*>(reserved_ + kPageImageAt),
          PageSize() / sizeof(std::uint64_t)};
}

}  // namespace cyclescope::sandbox
