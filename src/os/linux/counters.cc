#include "os/counters.h"

#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <span>
#include <string_view>
#include <utility>

#include "arch/architecture.h"
#include "os/cpus.h"
#include "os/linux/core_pmus.h"
#include "os/linux/counter_settings.h"
#include "os/linux/cpu_identity.h"
#include "os/linux/files.h"

namespace cyclescope::os {
namespace {

struct EventKind {
  std::string_view name;
  std::uint64_t config;
};

constexpr std::size_t kMostEvents = 3;
// The order of the group: the first leads it, and the last may be missing.
constexpr std::array<EventKind, kMostEvents> kEventKinds = {{
    {"cycles", PERF_COUNT_HW_CPU_CYCLES},
    {"instructions", PERF_COUNT_HW_INSTRUCTIONS},
    {"reference cycles", PERF_COUNT_HW_REF_CPU_CYCLES},
}};

// One open event: its file and, for reads from user space, the page the kernel describes it on.
class Event {
 public:
  Event() = default;
  explicit Event(int file) : file_(file) {}
  Event(Event&& other) noexcept
      : file_(std::exchange(other.file_, -1)), page_(std::exchange(other.page_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(page_, other.page_);
    return *this;
  }
  ~Event() {
    if (page_ != nullptr) munmap(page_, PageSize());
    if (file_ >= 0) close(file_);
  }

  // Returns 0 or an errno.
  int MapPage() {
    void* page = mmap(nullptr, PageSize(), PROT_READ, MAP_SHARED, file_, 0);
    if (page == MAP_FAILED) return errno;
    page_ = static_cast<perf_event_mmap_page*>(page);
    return 0;
  }

  int file() const { return file_; }
  const volatile perf_event_mmap_page* page() const { return page_; }

 private:
  static std::size_t PageSize() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

  int file_ = -1;
  perf_event_mmap_page* page_ = nullptr;
};

// `pmu` is that of the CPU's kind of core, where there are several: an event belongs to one of
// them.
perf_event_attr Attributes(const EventKind& kind, std::optional<std::uint32_t> pmu, bool leads) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = kind.config;
  if (pmu) attributes.config |= std::uint64_t{*pmu} << PERF_PMU_TYPE_SHIFT;
  attributes.read_format =
      PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  // The leader is switched on when the group is complete. Pinned: all the time or not at all, never
  // by turns with other events.
  attributes.disabled = leads ? 1 : 0;
  attributes.pinned = leads ? 1 : 0;
  return attributes;
}

// An event of the calling thread, on whatever CPU it runs. Returns the errno of a refusal.
std::expected<Event, int> OpenEvent(const EventKind& kind, std::optional<std::uint32_t> pmu,
                                    int leader, CounterAccess access) {
  static constexpr std::array<std::uint64_t, 1> kNoRequest = {0};
  const std::span<const std::uint64_t> requests = access == CounterAccess::kUser
                                                      ? arch::UserCounterRequests()
                                                      : std::span<const std::uint64_t>{kNoRequest};
  perf_event_attr attributes = Attributes(kind, pmu, leader < 0);
  int refusal = 0;
  for (const std::uint64_t request : requests) {
    attributes.config1 = request;
    const long file = syscall(SYS_perf_event_open, &attributes, 0, -1, leader,
                              static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC));
    if (file >= 0) {
      Event event(static_cast<int>(file));
      if (access == CounterAccess::kUser) {
        if (const int error = event.MapPage(); error != 0) return std::unexpected(error);
      }
      return event;
    }
    refusal = errno;
  }
  return std::unexpected(refusal);
}

Error Explain(const EventKind& kind, int refusal) {
  const CpuIdentity cpu = IdentifyCpu(ReadTextOrEmpty("/proc/cpuinfo"));
  return ExplainRefusal(kind.name, refusal, ReadCounterSettings(), DetectHypervisor(cpu, "/"));
}

// The low `width` bits as a signed number.
std::int64_t SignExtended(std::uint64_t value, unsigned width) {
  if (width == 0 || width >= 64) return static_cast<std::int64_t>(value);
  return static_cast<std::int64_t>(value << (64 - width)) >> (64 - width);
}

struct PageReading {
  std::uint64_t value = 0;
  std::uint64_t lost_ns = 0;
};

// The protocol that linux/perf_event.h documents at perf_event_mmap_page: the kernel changes `lock`
// around each change of the page. It does so on this very CPU, so that only the compiler must be
// kept from moving the reads.
std::optional<PageReading> ReadPage(const volatile perf_event_mmap_page& page) {
  PageReading reading;
  std::uint32_t sequence = 0;
  do {
    sequence = page.lock;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const std::uint32_t index = page.index;
    if (page.cap_user_rdpmc == 0 || index == 0) return std::nullopt;
    const std::uint64_t counter = arch::ReadCounter(index - 1);
    reading.value = static_cast<std::uint64_t>(page.offset + SignExtended(counter, page.pmc_width));
    reading.lost_ns = page.time_enabled - page.time_running;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } while (page.lock != sequence);
  return reading;
}

// What one look at the group shows.
struct GroupReading {
  std::array<std::uint64_t, kMostEvents> values{};
  std::uint64_t lost_ns = 0;  // time the group was switched on, but not on the CPU's counters
};

}  // namespace

struct Counters::State {
  std::array<Event, kMostEvents> events;
  std::size_t count = 0;
  CounterAccess access = CounterAccess::kSystem;
  std::uint64_t lost_ns = 0;  // at the last read

  std::optional<GroupReading> ReadUser() const;
  std::optional<GroupReading> ReadSystem() const;
  std::optional<GroupReading> ReadGroup() const {
    return access == CounterAccess::kUser ? ReadUser() : ReadSystem();
  }
};

std::optional<GroupReading> Counters::State::ReadUser() const {
  GroupReading group;
  for (std::size_t i = 0; i < count; ++i) {
    const auto reading = ReadPage(*events[i].page());
    if (!reading) return std::nullopt;
    group.values[i] = reading->value;
    group.lost_ns = reading->lost_ns;  // the same for all, since a group is scheduled as one
  }
  return group;
}

std::optional<GroupReading> Counters::State::ReadSystem() const {
  // As PERF_FORMAT_GROUP and both times lay it out (linux/perf_event.h).
  struct {
    std::uint64_t count;
    std::uint64_t time_enabled;
    std::uint64_t time_running;
    std::array<std::uint64_t, kMostEvents> values;
  } group{};
  const ssize_t expected = static_cast<ssize_t>((3 + count) * sizeof(std::uint64_t));
  // A pinned group that had to leave its counters reads as the end of the file.
  if (read(events.front().file(), &group, sizeof(group)) != expected) return std::nullopt;
  return GroupReading{group.values, group.time_enabled - group.time_running};
}

Result<Counters> Counters::Open(CounterAccess access) {
  auto state = std::make_unique<State>();
  state->access = access;
  const auto pmu = CorePmuType(CurrentCpu(), ReadCorePmus());
  for (const EventKind& kind : kEventKinds) {
    auto event = OpenEvent(kind, pmu, state->events.front().file(), access);
    if (!event && kind.config == PERF_COUNT_HW_REF_CPU_CYCLES) break;  // few processors have it
    if (!event) return std::unexpected(Explain(kind, event.error()));
    state->events[state->count++] = *std::move(event);
  }
  if (ioctl(state->events.front().file(), PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP) != 0) {
    return SystemError("cannot start the counters", errno);
  }

  const auto first = state->ReadGroup();
  if (!first) {
    // Either the group got no counters, or it has them and only the way to them is barred.
    if (access == CounterAccess::kUser && state->ReadSystem()) {
      return std::unexpected(ExplainNoUserAccess(ReadCounterSettings()));
    }
    return Failed("cannot count cycles: other programs hold the counters",
                  "end what uses them ('perf', profilers, the NMI watchdog)");
  }
  state->lost_ns = first->lost_ns;
  return Counters(std::move(state));
}

Counters::Counters(std::unique_ptr<State> state) : state_(std::move(state)) {}
Counters::Counters(Counters&&) noexcept = default;
Counters& Counters::operator=(Counters&&) noexcept = default;
Counters::~Counters() = default;

bool Counters::has_reference_cycles() const { return state_->count == kMostEvents; }

std::optional<CounterValues> Counters::Read() {
  const auto group = state_->ReadGroup();
  if (!group) return std::nullopt;
  if (std::exchange(state_->lost_ns, group->lost_ns) != group->lost_ns) return std::nullopt;
  return CounterValues{group->values[0], group->values[1], group->values[2]};
}

}  // namespace cyclescope::os
