#include "sandbox/worker_process.h"

#include <windows.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/try.h"
#include "os/windows/processor_map.h"
#include "sandbox/death.h"
#include "sandbox/windows/be_worker.h"
#include "sandbox/windows/handles.h"

namespace cyclescope::sandbox {
namespace {

// Owns one.
class OwnHandle {
 public:
  OwnHandle() = default;
  explicit OwnHandle(HANDLE handle) : handle_(handle) {}
  OwnHandle(OwnHandle&& other) noexcept : handle_(other.Release()) {}
  OwnHandle& operator=(OwnHandle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~OwnHandle() {
    if (handle_ != nullptr) CloseHandle(handle_);
  }
  HANDLE get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }
  HANDLE Release() { return std::exchange(handle_, nullptr); }

 private:
  HANDLE handle_ = nullptr;
};

OwnHandle CreateInheritedEvent() {
  SECURITY_ATTRIBUTES inherited{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
  return OwnHandle(CreateEventW(&inherited, /*manual=*/FALSE, /*set=*/FALSE, nullptr));
}

// This process, for a worker that waits for its end.
OwnHandle InheritedSelf() {
  HANDLE self = nullptr;
  DuplicateHandle(GetCurrentProcess(), GetCurrentProcess(), GetCurrentProcess(), &self, SYNCHRONIZE,
                  /*inherit=*/TRUE, 0);
  return OwnHandle(self);
}

// However the tool ends, its worker ends with it; and it starts no process of its own, takes no
// more memory than a worker needs, and shows no dialog about a crash.
OwnHandle CreateJob() {
  OwnHandle job(CreateJobObjectW(nullptr, nullptr));
  if (!job) return job;
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  constexpr SIZE_T kMostMemory = SIZE_T{1} << 30;
  limits.BasicLimitInformation.LimitFlags =
      JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_ACTIVE_PROCESS |
      JOB_OBJECT_LIMIT_PROCESS_MEMORY | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
  limits.BasicLimitInformation.ActiveProcessLimit = 1;
  limits.ProcessMemoryLimit = kMostMemory;
  if (SetInformationJobObject(job.get(), JobObjectExtendedLimitInformation, &limits,
                              sizeof(limits)) == 0) {
    return OwnHandle();
  }
  return job;
}

// The section that tells the worker what it is to be.
Result<SharedMemory> WriteStart(const WorkerStart& start, const std::vector<MemoryArea>& areas) {
  const std::size_t size = sizeof(start) + areas.size() * sizeof(areas[0]);
  auto section = TRY(SharedMemory::Create("", size));
  const auto view = TRY(section.Map(size, Access::kReadWrite));
  std::memcpy(view.begin(), &start, sizeof(start));
  if (!areas.empty())
    std::memcpy(view.begin() + sizeof(start), areas.data(), areas.size() * sizeof(areas[0]));
  return section;
}

std::wstring OwnPath() {
  std::wstring path(MAX_PATH, L'\0');
  for (;;) {
    const DWORD length = GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
    if (length < path.size()) {
      path.resize(length);
      return path;
    }
    path.resize(path.size() * 2);
  }
}

// A list of the handles that a process inherits: these and no others, whatever other threads have
// open at the moment.
class InheritanceList {
 public:
  explicit InheritanceList(std::vector<HANDLE> handles) : handles_(std::move(handles)) {
    SIZE_T size = 0;
    InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
    buffer_.resize(size);
    if (InitializeProcThreadAttributeList(get(), 1, 0, &size) == 0) return;
    is_made_ = true;
    is_good_ =
        UpdateProcThreadAttribute(get(), 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles_.data(),
                                  handles_.size() * sizeof(HANDLE), nullptr, nullptr) != 0;
  }
  ~InheritanceList() {
    if (is_made_) DeleteProcThreadAttributeList(get());
  }
  InheritanceList(const InheritanceList&) = delete;
  InheritanceList& operator=(const InheritanceList&) = delete;

  bool is_good() const { return is_good_; }
  LPPROC_THREAD_ATTRIBUTE_LIST get() {
    return reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(buffer_.data());
  }

 private:
  std::vector<HANDLE> handles_;
  std::vector<std::uint8_t> buffer_;
  bool is_made_ = false;
  bool is_good_ = false;
};

// This program once more, which does nothing yet. Without a console: Ctrl-C is for the tool.
Result<PROCESS_INFORMATION> StartSuspended(std::wstring line, std::vector<HANDLE> inherited) {
  InheritanceList list(std::move(inherited));
  if (!list.is_good()) return FailedTo("choose what the worker process inherits");
  STARTUPINFOEXW startup{};
  startup.StartupInfo.cb = sizeof(startup);
  startup.lpAttributeList = list.get();
  const std::wstring path = OwnPath();
  PROCESS_INFORMATION made{};
  // Wine answers so where the new process ended while it was loaded: seen once in a run of all
  // tests on a busy machine. Another one may do better.
  constexpr int kTries = 3;
  for (int tries = 1;; ++tries) {
    if (CreateProcessW(path.c_str(), line.data(), nullptr, nullptr, /*inherit=*/TRUE,
                       CREATE_SUSPENDED | DETACHED_PROCESS | EXTENDED_STARTUPINFO_PRESENT, nullptr,
                       nullptr, &startup.StartupInfo, &made) != 0) {
      return made;
    }
    if (GetLastError() != ERROR_INTERNAL_ERROR || tries == kTries)
      return FailedTo("create the worker process");
  }
}

}  // namespace

std::shared_ptr<void> KeepWorkersQuick() { return nullptr; }

bool WorkerProcess::StartsQuickly() { return false; }  // a program is loaded

Result<WorkerProcess> WorkerProcess::Start(WorkerMemory& memory, const WorkerOptions& options) {
  OwnHandle requests = CreateInheritedEvent();
  OwnHandle answers = CreateInheritedEvent();
  const OwnHandle self = InheritedSelf();
  OwnHandle job = CreateJob();
  if (!requests || !answers || !self || !job) return FailedTo("prepare the worker process");
  const Surroundings& surroundings = options.surroundings;
  const WorkerMemory::Parts parts = memory.parts();
  const auto start = TRY(WriteStart(
      {.memory = parts,
       .requests = NumberOf(requests.get()),
       .answers = NumberOf(answers.get()),
       .tool = NumberOf(self.get()),
       .cpu = options.cpu,
       .scratch = surroundings.scratch ? 1U : 0U,
       .has_contents = surroundings.contents.empty() ? 0U : 1U,
       .counters = options.counters ? static_cast<std::uint32_t>(*options.counters) + 1 : 0U,
       .chase_bytes = surroundings.chase_bytes,
       .area_count = surroundings.areas.size()},
      surroundings.areas));

  auto made = TRY(StartSuspended(
      L"cyclescope " + std::wstring(kWorkerArgument) + std::to_wstring(start.handle()),
      {HandleOf(parts.sent), HandleOf(parts.received), HandleOf(parts.page), requests.get(),
       answers.get(), self.get(), HandleOf(start.handle())}));
  OwnHandle thread(made.hThread);
  OwnHandle child(made.hProcess);
  if (AssignProcessToJobObject(job.get(), child.get()) == 0 || ResumeThread(thread.get()) == ~0U) {
    auto error = FailedTo("put the worker process into its job");
    TerminateProcess(child.get(), 1);
    return error;
  }
  WorkerProcess process;
  process.id_ = static_cast<int>(made.dwProcessId);
  process.process_ = NumberOf(child.Release());
  process.channel_ = {.requests = NumberOf(requests.Release()),
                      .answers = NumberOf(answers.Release()),
                      .thread = NumberOf(thread.Release()),
                      .lifeline = NumberOf(job.Release())};
  return process;
}

bool WorkerProcess::Send(RunNumber number) {
  if (WaitForSingleObject(HandleOf(process_), 0) != WAIT_TIMEOUT) return false;
  asked_ = number;
  return SetEvent(HandleOf(channel_.requests)) != 0;
}

// An event carries no number: what the answer is to stands in the response.
Arrival WorkerProcess::Receive(std::chrono::milliseconds patience, RunNumber& message) {
  const std::array<HANDLE, 2> waited = {HandleOf(channel_.answers), HandleOf(process_)};
  const DWORD ended = WaitForMultipleObjects(waited.size(), waited.data(), FALSE,
                                             static_cast<DWORD>(patience.count()));
  if (ended == WAIT_TIMEOUT) return Arrival::kNothing;
  if (ended == WAIT_OBJECT_0 + 1) return Arrival::kHangUp;
  if (ended != WAIT_OBJECT_0) return Arrival::kGarbage;
  message = asked_;
  return Arrival::kMessage;
}

// Of the one thread that executes: Wine knows no times of another process.
std::chrono::nanoseconds WorkerProcess::TimeRun() const {
  FILETIME begun{};
  FILETIME ended{};
  std::array<FILETIME, 2> ran{};
  if (GetThreadTimes(HandleOf(channel_.thread), &begun, &ended, &ran[0], &ran[1]) == 0) return {};
  std::int64_t steps = 0;  // of 100 ns
  for (const FILETIME& time : ran)
    steps += std::int64_t{time.dwHighDateTime} << 32 | std::int64_t{time.dwLowDateTime};
  return std::chrono::nanoseconds(steps * 100);
}

Result<void> WorkerProcess::MoveTo(int cpu) const {
  return os::PinThread(HandleOf(channel_.thread), cpu);
}

// The tool always gets a CPU: no thread here has real-time priority.
void WorkerProcess::LimitRuns(std::chrono::milliseconds /*limit*/) const {}

std::optional<ProcessEnding> WorkerProcess::End() {
  if (id_ == 0) return std::nullopt;
  TerminateProcess(HandleOf(process_), 1);
  constexpr DWORD kPatienceMs = 10'000;
  DWORD code = 0;
  const bool ended = WaitForSingleObject(HandleOf(process_), kPatienceMs) == WAIT_OBJECT_0 &&
                     GetExitCodeProcess(HandleOf(process_), &code) != 0;
  for (const Handle handle :
       {process_, channel_.requests, channel_.answers, channel_.thread, channel_.lifeline}) {
    CloseHandle(HandleOf(handle));
  }
  id_ = 0;
  process_ = kNone;
  channel_ = {};
  asked_ = kReady;
  if (!ended) return std::nullopt;
  ProcessEnding ending;
  if (IsFault(code)) {
    ending.death = DeathByException(code);
  } else {
    ending.exit_status = static_cast<int>(code);
    ending.reported_fault = code == kFaultReported;
  }
  return ending;
}

Death DeathByFault(const FaultReport& report, std::optional<CodePlace> place) {
  return DeathByException(report.cause,
                          report.detail != 0 ? std::optional(report.address) : std::nullopt, place);
}

// Windows has no filter of system calls, and `doctor` says so: it is nothing about this run.
std::vector<Warning> SetupWarnings(const SetupReport& /*setup*/) { return {}; }

}  // namespace cyclescope::sandbox
