#include "memory/stream_threads.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include "base/try.h"
#include "os/clock.h"

namespace cyclescope::memory {

struct StreamThreads::Thread {
  int cpu = 0;
  std::optional<os::MemoryArea> area;
  Result<void> prepared;
  std::atomic<bool> stop = false;
  alignas(128) std::atomic<std::uint64_t> bytes = 0;

  void Prepare(std::size_t area_bytes, const os::AreaWish& wish) {
    auto mapped = os::MemoryArea::Map(area_bytes, wish);
    if (!mapped) {
      prepared = std::unexpected(mapped.error());
      return;
    }
    area = std::move(*mapped);
    std::memset(area->begin(), 1, area->bytes());
  }

  void Work(const StreamJob& work) {
    const bool copies = work.stream->kind == arch::StreamKind::kCopy;
    const std::size_t half = work.bytes / 2 / arch::kStreamBlock * arch::kStreamBlock;
    const std::size_t length = copies ? half : work.bytes / arch::kStreamBlock * arch::kStreamBlock;
    if (length == 0) return;
    std::byte* const to = area->begin();
    const std::byte* const from = copies ? to + length : to;
    // Between two looks at the clock and at `stop`: enough of it that these don't count, and with
    // pauses a page, so that the load is even.
    constexpr std::size_t kBytesAtOnce = std::size_t{256} << 10;
    constexpr std::size_t kBytesBetweenPauses = std::size_t{4} << 10;
    const std::size_t part =
        std::min(work.pause_ns > 0 ? kBytesBetweenPauses : kBytesAtOnce, length);
    std::size_t at = 0;
    while (!stop.load(std::memory_order_relaxed)) {
      std::size_t done = 0;
      do {
        const std::size_t now = std::min(part, length - at);
        work.stream->run(to + at, from + at, now);
        at = at + now == length ? 0 : at + now;
        done += now;
      } while (work.pause_ns == 0 && done < kBytesAtOnce);
      bytes.fetch_add(copies ? 2 * done : done, std::memory_order_relaxed);
      if (work.pause_ns > 0) {
        const std::int64_t end = os::MonotonicNanoseconds() + work.pause_ns;
        while (os::MonotonicNanoseconds() < end) {
        }
      }
    }
  }
};

Result<std::unique_ptr<StreamThreads>> StreamThreads::Start(const os::CpuList& cpus,
                                                            std::size_t bytes_each,
                                                            const os::AreaWish& wish) {
  std::unique_ptr<StreamThreads> threads(new StreamThreads());
  threads->pinned_ = TRY(os::PinnedThreads::Start(cpus));
  for (const int cpu : cpus) {
    Thread& thread = *threads->threads_.emplace_back(std::make_unique<Thread>());
    thread.cpu = cpu;
    threads->pinned_->Post(cpu, [&thread, bytes_each, wish] { thread.Prepare(bytes_each, wish); });
  }
  threads->WaitUntilIdle();
  for (const auto& thread : threads->threads_) {
    if (!thread->prepared) return std::unexpected(thread->prepared.error());
  }
  return threads;
}

StreamThreads::~StreamThreads() {
  if (pinned_ != nullptr) Rest();
}

void StreamThreads::WaitUntilIdle() {
  for (const auto& thread : threads_) pinned_->WaitUntilIdle(thread->cpu);
}

void StreamThreads::Go(const StreamJob& job) {
  for (const auto& thread : threads_) {
    assert(job.bytes <= thread->area->bytes());
    thread->stop = false;
    pinned_->Post(thread->cpu, [&thread = *thread, job] { thread.Work(job); });
  }
}

std::uint64_t StreamThreads::BytesSoFar() const {
  std::uint64_t sum = 0;
  for (const auto& thread : threads_) sum += thread->bytes.load(std::memory_order_relaxed);
  return sum;
}

double StreamThreads::BytesPerSecond(std::chrono::nanoseconds duration) {
  const std::uint64_t bytes_before = BytesSoFar();
  const std::int64_t begin = os::MonotonicNanoseconds();
  std::this_thread::sleep_for(duration);
  const std::uint64_t bytes_after = BytesSoFar();
  const std::int64_t end = os::MonotonicNanoseconds();
  return static_cast<double>(bytes_after - bytes_before) / static_cast<double>(end - begin) * 1e9;
}

void StreamThreads::Rest() {
  for (const auto& thread : threads_) thread->stop = true;
  WaitUntilIdle();
}

const arch::Stream& WidestStream(arch::StreamKind kind, const std::vector<std::string>& features) {
  const auto found = std::ranges::find_if(arch::Streams(), [&](const arch::Stream& stream) {
    return stream.kind == kind &&
           (stream.feature.empty() || std::ranges::binary_search(features, stream.feature));
  });
  assert(found != arch::Streams().end());  // each kind has one that needs no feature
  return *found;
}

}  // namespace cyclescope::memory
