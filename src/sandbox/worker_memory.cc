#include "sandbox/worker_memory.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <new>
#include <utility>

#include "base/try.h"
#include "sandbox/chase.h"

namespace cyclescope::sandbox {
namespace {

// The largest unit of mappings on our systems (Linux on AArch64 with 64 KiB pages, and Windows):
// all regions are multiples of it, so that their protections never meet in one page.
constexpr std::size_t kLargestPage = 64 * kKibi;
constexpr std::size_t kGuardSize = kLargestPage;

constexpr std::size_t WholePages(std::size_t size) {
  return (size + kLargestPage - 1) / kLargestPage * kLargestPage;
}

constexpr std::size_t kScratchRegionSize = kScratchMargin + kScratchSize + kScratchMargin;
constexpr std::size_t kKernelStackSize = 256 * kKibi;
// Frames of signals hold every vector, matrix and tile register there is: tens of KiB with SVE or
// AMX.
constexpr std::size_t kFaultStackSize = 256 * kKibi;
static_assert(kScratchRegionSize % kLargestPage == 0);

// The file that the tool writes.
constexpr std::size_t kRequestOffset = kCodeSize;
constexpr std::size_t kRequestSize = WholePages(sizeof(Request));
constexpr std::size_t kSentSize = kRequestOffset + kRequestSize;
constexpr std::size_t kReceivedSize = WholePages(sizeof(Response));

// The worker's addresses, relative to the reservation: each region with a guard behind it. The code
// comes first, as it has to be aligned, and needs no guard before it, as it is not writable.
constexpr std::size_t kCodeAt = 0;
constexpr std::size_t kRequestAt = kCodeAt + kCodeSize + kGuardSize;
constexpr std::size_t kReceivedAt = kRequestAt + kRequestSize + kGuardSize;
constexpr std::size_t kScratchAt = kReceivedAt + kReceivedSize + kGuardSize;
constexpr std::size_t kWindowAt = kScratchAt + kScratchRegionSize + kGuardSize;
// Behind the window the pages stand once more, so that they are filled in one go.
constexpr std::size_t kWindowAndPages = kWindowSize + kMostOwnPages * kLargestPage;
constexpr std::size_t kPageImageAt = kWindowAt + kWindowAndPages + kGuardSize;
constexpr std::size_t kKernelStackAt = kPageImageAt + kLargestPage + kGuardSize;
constexpr std::size_t kFaultStackAt = kKernelStackAt + kKernelStackSize + kGuardSize;
// The cursors, and then the chase at a multiple of the largest huge page that is worth having.
constexpr std::size_t kHugePage = 2048 * kKibi;
constexpr std::size_t kCursorsAt = kFaultStackAt + kFaultStackSize + kGuardSize;
constexpr std::size_t kCursorsSize = kLargestPage;
constexpr std::size_t kChaseAt =
    (kCursorsAt + kCursorsSize + kGuardSize + kHugePage - 1) / kHugePage * kHugePage;
static_assert(kCodeSize % kHugePage == 0, "the reservation begins at a multiple of it");
static_assert(kChaseCursors * sizeof(std::uint64_t) <= kCursorsSize);
constexpr std::array kRegionEnds = {kCodeAt + kCodeSize,
                                    kRequestAt + kRequestSize,
                                    kReceivedAt + kReceivedSize,
                                    kScratchAt + kScratchRegionSize,
                                    kWindowAt + kWindowAndPages,
                                    kPageImageAt + kLargestPage,
                                    kKernelStackAt + kKernelStackSize,
                                    kFaultStackAt + kFaultStackSize,
                                    kCursorsAt + kCursorsSize};
constexpr std::size_t kReservedSize = kChaseAt + kMostChaseBytes + kGuardSize;

// The process's one reservation. In the tool nothing is ever mapped there; each worker has its own
// memory there.
const Result<Mapping>& Reservation() {
  static const Result<Mapping> reserved = Reserve(kReservedSize, kCodeSize);
  return reserved;
}

}  // namespace

std::size_t PageSize() { return MappingUnit(); }

namespace {

// The memory file: the window, own pages, their image, then the areas.
std::size_t OwnPageOffset(std::size_t page) { return kWindowSize + page * PageSize(); }
std::size_t ImageOffset() { return OwnPageOffset(kMostOwnPages); }
std::size_t AreasOffset() { return ImageOffset() + PageSize(); }

std::size_t FileSize(const Surroundings& surroundings) {
  std::size_t size = AreasOffset();
  for (const MemoryArea& area : surroundings.areas)
    size = std::max<std::size_t>(size, area.offset + area.bytes);
  return size;
}

}  // namespace

Surroundings WorkerMemory::Placed(const Surroundings& surroundings) {
  Surroundings placed = surroundings;
  std::uint64_t offset = AreasOffset();
  for (MemoryArea& area : placed.areas) {
    area.offset = offset;
    offset += area.bytes;
  }
  std::vector<std::uint64_t> pages = std::exchange(placed.pages, {});
  if (surroundings.stack != 0) {
    const std::uint64_t last = surroundings.stack - surroundings.stack % PageSize();
    for (const std::uint64_t page : {last, last - PageSize()}) {
      if (std::ranges::find(pages, page) == pages.end()) pages.push_back(page);
    }
  }
  const bool own = pages.size() <= kMostOwnPages;
  for (std::size_t i = 0; i < pages.size(); ++i)
    placed.areas.push_back({pages[i], PageSize(), OwnPageOffset(own ? i : 0)});
  return placed;
}

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
                      .count = begin + kKernelStackAt + kKernelStackSize - sizeof(std::uint64_t),
                      .cursors = begin + kCursorsAt};
}

Result<WorkerMemory> WorkerMemory::Create(const Surroundings& surroundings) {
  WorkerMemory memory;
  auto sent = TRY(SharedMemory::Create("cyclescope-to-worker", kSentSize));
  auto received = TRY(SharedMemory::Create("cyclescope-from-worker", kReceivedSize));
  const std::size_t file_size = FileSize(surroundings);
  auto page = TRY(SharedMemory::Create("cyclescope-page", file_size));
  auto page_view = TRY(page.Map(file_size, Access::kReadWrite));
  auto sent_view = TRY(sent.Map(kSentSize, Access::kReadWrite));
  auto received_view = TRY(received.Map(kReceivedSize, Access::kRead));
  const Result<Mapping>& reserved = Reservation();
  if (!reserved) return std::unexpected(reserved.error());

  sent.Seal(/*contents=*/true);
  received.Seal(/*contents=*/false);
  page.Seal(/*contents=*/false);

  memory.sent_ = std::move(sent);
  memory.received_ = std::move(received);
  memory.page_ = std::move(page);
  memory.page_view_ = std::move(page_view);
  memory.sent_view_ = std::move(sent_view);
  memory.received_view_ = std::move(received_view);
  memory.reserved_ = reserved->begin();
  // New shared memory holds zeros, as a new Request and a new Response do.
  return memory;
}

WorkerMemory::Parts WorkerMemory::parts() const {
  return {.sent = sent_.handle(),
          .received = received_.handle(),
          .page = page_.handle(),
          .reserved = reinterpret_cast<std::uintptr_t>(reserved_)};
}

WorkerMemory WorkerMemory::FromParts(const Parts& parts) {
  WorkerMemory memory;
  memory.sent_ = SharedMemory(parts.sent);
  memory.received_ = SharedMemory(parts.received);
  memory.page_ = SharedMemory(parts.page);
  memory.reserved_ = reinterpret_cast<std::uint8_t*>(parts.reserved);
  return memory;
}

Request& WorkerMemory::request() const {
  return *std::launder(reinterpret_cast<Request*>(Sent(kRequestOffset)));
}

const Response& WorkerMemory::response() const {
  return *std::launder(reinterpret_cast<const Response*>(received_view_.begin()));
}

void WorkerMemory::SetContents(const Surroundings& surroundings) const {
  const std::vector<std::uint8_t>& contents = surroundings.contents;
  std::uint8_t* image = page_view_.begin() + ImageOffset();
  for (std::size_t i = 0; !contents.empty() && i < PageSize(); ++i)
    image[i] = contents[i % contents.size()];
  if (!surroundings.image.empty())
    std::memcpy(page_view_.begin() + AreasOffset(), surroundings.image.data(),
                surroundings.image.size());
}

Result<void> WorkerMemory::BecomeWorker(const Surroundings& surroundings) {
  const auto map = [this](std::size_t at, std::size_t size, Access access,
                          const SharedMemory& memory, std::size_t offset) {
    return memory.MapAt(reserved_ + at, size, offset, access);
  };
  const auto open = [this](std::size_t at, std::size_t size) {
    return OpenPrivate(reserved_ + at, size);
  };
  const auto failed = [] { return Failed("cannot map the worker's memory"); };
  const bool mapped =
      map(kCodeAt, kCodeSize, Access::kReadExecute, sent_, 0) &&
      map(kRequestAt, kRequestSize, Access::kRead, sent_, kRequestOffset) &&
      map(kReceivedAt, kReceivedSize, Access::kReadWrite, received_, 0) &&
      map(kPageImageAt, PageSize(), Access::kRead, page_, ImageOffset()) &&
      map(kWindowAt, ImageOffset(), Access::kReadWrite, page_, 0) &&
      (surroundings.scratch ? open(kScratchAt, kScratchRegionSize)
                            : KeepEmpty(reserved_ + kScratchAt, kScratchRegionSize)) &&
      open(kKernelStackAt, kKernelStackSize) && open(kFaultStackAt, kFaultStackSize);
  if (!mapped) return failed();
  const std::size_t chase = surroundings.chase_bytes;
  assert(chase <= kMostChaseBytes);
  if (chase != 0) {
    if (!open(kCursorsAt, kCursorsSize) || !open(kChaseAt, chase) ||
        !KeepEmpty(reserved_ + kChaseAt + chase, kGuardSize)) {
      return failed();
    }
    PreferHugePages(reserved_ + kChaseAt, chase);
  }
  for (const std::size_t behind : kRegionEnds) {
    if (!KeepEmpty(reserved_ + behind, kGuardSize)) return failed();
  }
  for (const MemoryArea& area : surroundings.areas) {
    page_.MapWhereFree(reinterpret_cast<std::uint8_t*>(area.address), area.bytes, area.offset,
                       Access::kReadWrite);
  }
  return {};
}

void WorkerMemory::FillChase(const Surroundings& surroundings) const {
  if (surroundings.chase_bytes == 0) return;
  WriteChase({reinterpret_cast<std::uint64_t*>(reserved_ + kChaseAt),
              surroundings.chase_bytes / sizeof(std::uint64_t)},
             std::span<std::uint64_t, kChaseCursors>(
                 reinterpret_cast<std::uint64_t*>(reserved_ + kCursorsAt), kChaseCursors));
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

std::span<std::uint8_t> WorkerMemory::fault_stack() const {
  return {reserved_ + kFaultStackAt, kFaultStackSize};
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

std::span<std::uint64_t> WorkerMemory::page_words(const Surroundings& surroundings) const {
  std::size_t end = kWindowSize;
  for (const MemoryArea& area : surroundings.areas) {
    if (area.offset < ImageOffset()) end = std::max<std::size_t>(end, area.offset + area.bytes);
  }
  return {reinterpret_cast<std::uint64_t*>(reserved_ + kWindowAt), end / sizeof(std::uint64_t)};
}

std::span<const std::uint64_t> WorkerMemory::page_image_words() const {
  return {reinterpret_cast<const std::uint64_t*>(reserved_ + kPageImageAt),
          PageSize() / sizeof(std::uint64_t)};
}

}  // namespace cyclescope::sandbox
