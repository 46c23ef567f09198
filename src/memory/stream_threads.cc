#include "memory/stream_threads.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "os/clock.h"

namespace cyclescope::memory {

struct StreamThreads::Thread {
  std::optional<os::MemoryArea> area;
  Result<void> started;

  std::mutex mutex;  // guards what is below, but for `bytes`
  std::condition_variable changed;
  std::optional<StreamJob> job;
  bool busy = true;  // until it waits for its first job
  bool over = false;
  std::atomic<bool> stop = false;
  alignas(128) std::atomic<std::uint64_t> bytes = 0;
  std::jthread thread;

  void Run(int cpu, std::size_t area_bytes, const os::AreaWish& wish) {
    started = Prepare(cpu, area_bytes, wish);
    while (const auto next = NextJob()) Work(*next);
  }

  Result<void> Prepare(int cpu, std::size_t area_bytes, const os::AreaWish& wish) {
    if (auto pinned = os::Pin(cpu); !pinned) return pinned;
    auto mapped = os::MemoryArea::Map(area_bytes, wish);
    if (!mapped) return std::unexpected(mapped.error());
    area = std::move(*mapped);
    std::memset(area->begin(), 1, area->bytes());
    return {};
  }

  std::optional<StreamJob> NextJob() {
    std::unique_lock lock(mutex);
    busy = false;
    changed.notify_all();
    changed.wait(lock, [this] { return over || job.has_value(); });
    if (over) return std::nullopt;
    busy = true;
    return std::exchange(job, std::nullopt);
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
    constexpr std::size_t kAtOnce = std::size_t{256} << 10;
    constexpr std::size_t kBetweenPauses = std::size_t{4} << 10;
    const std::size_t part = std::min(work.pause_ns > 0 ? kBetweenPauses : kAtOnce, length);
    std::size_t at = 0;
    while (!stop.load(std::memory_order_relaxed)) {
      std::size_t done = 0;
      do {
        const std::size_t now = std::min(part, length - at);
        work.stream->run(to + at, from + at, now);
        at = at + now == length ? 0 : at + now;
        done += now;
      } while (work.pause_ns == 0 && done < kAtOnce);
      bytes.fetch_add(copies ? 2 * done : done, std::memory_order_relaxed);
      if (work.pause_ns > 0) {
        const std::int64_t end = os::MonotonicNanoseconds() + work.pause_ns;
        while (os::MonotonicNanoseconds() < end) {
        }
      }
    }
  }

  void Post(const StreamJob& next) {
    const std::scoped_lock lock(mutex);
    assert(!busy && next.bytes <= area->bytes());
    stop = false;
    job = next;
    busy = true;
    changed.notify_all();
  }

  void WaitUntilIdle() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return !busy; });
  }
};

Result<std::unique_ptr<StreamThreads>> StreamThreads::Start(const os::CpuList& cpus,
                                                            std::size_t bytes_each,
                                                            const os::AreaWish& wish) {
  std::unique_ptr<StreamThreads> threads(new StreamThreads());
  for (const int cpu : cpus) {
    threads->threads_.push_back(std::make_unique<Thread>());
    Thread& thread = *threads->threads_.back();
    try {
      thread.thread =
          std::jthread([&thread, cpu, bytes_each, wish] { thread.Run(cpu, bytes_each, wish); });
    } catch (const std::system_error& error) {
      return os::CannotStartThread(cpu, error.code().value());
    }
  }
  for (const auto& thread : threads->threads_) {
    thread->WaitUntilIdle();
    if (!thread->started) return std::unexpected(thread->started.error());
  }
  return threads;
}

StreamThreads::~StreamThreads() {
  for (const auto& thread : threads_) {
    const std::scoped_lock lock(thread->mutex);
    thread->over = true;
    thread->stop = true;
    thread->changed.notify_all();
  }
}

void StreamThreads::Go(const StreamJob& job) {
  for (const auto& thread : threads_) thread->Post(job);
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
  for (const auto& thread : threads_) thread->WaitUntilIdle();
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
