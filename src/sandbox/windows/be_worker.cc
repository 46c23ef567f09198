#include "sandbox/windows/be_worker.h"

#include <windows.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "arch/architecture.h"
#include "arch/kernel_entry.h"
#include "base/try.h"
#include "os/counters.h"
#include "os/cpus.h"
#include "os/host.h"
#include "sandbox/run_server.h"
#include "sandbox/windows/handles.h"

namespace cyclescope::sandbox {

const wchar_t kWorkerArgument[] = L"--cyclescope-worker=";

namespace {

// The section's handle, if this process was started as a worker.
std::optional<std::intptr_t> WorkerHandle() {
  const std::wstring_view line = GetCommandLineW();
  const std::wstring_view argument = kWorkerArgument;
  const auto at = line.rfind(argument);
  if (at == std::wstring_view::npos) return std::nullopt;
  const std::wstring_view digits = line.substr(at + argument.size());
  if (digits.empty()) return std::nullopt;
  std::intptr_t handle = 0;
  for (const wchar_t digit : digits) {
    if (digit < L'0' || digit > L'9') return std::nullopt;
    handle = handle * 10 + (digit - L'0');
  }
  return handle;
}

// Where the tool's wishes are. They stay: nothing is unmapped or freed from here on.
struct Wishes {
  WorkerStart start;
  Surroundings surroundings;
};

std::optional<Wishes> ReadWishes(std::intptr_t section) {
  const void* view = MapViewOfFile(HandleOf(section), FILE_MAP_READ, 0, 0, 0);
  if (view == nullptr) return std::nullopt;
  const auto* start = static_cast<const WorkerStart*>(view);
  const auto* areas = reinterpret_cast<const MemoryArea*>(start + 1);
  Wishes wishes{*start, {}};
  wishes.surroundings.scratch = start->scratch != 0;
  wishes.surroundings.chase_bytes = start->chase_bytes;
  if (start->has_contents != 0) wishes.surroundings.contents = {0};
  wishes.surroundings.areas.assign(areas, areas + start->area_count);
  UnmapViewOfFile(view);
  CloseHandle(HandleOf(section));
  return wishes;
}

// Asks for AMX's tiles, which the system gives only to processes that want them. Where there are
// none, or they are refused, code that uses them faults.
void RequestTileState() {
  // Since Windows 11; older ones have no tiles. <winnt.h> of other compilers has the number as
  // XSTATE_MASK_AMX_TILE_DATA.
  using Enable = BOOL(WINAPI*)(std::uint64_t);
  constexpr std::uint64_t kTileData = std::uint64_t{1} << 18;
  const FARPROC found =
      GetProcAddress(GetModuleHandleW(L"kernel32.dll"), "EnableProcessOptionalXStateFeatures");
  if (found != nullptr) reinterpret_cast<Enable>(reinterpret_cast<void*>(found))(kTileData);
}

Result<void> SetUp(const WorkerStart& start, const Surroundings& surroundings, WorkerMemory& memory,
                   RunServer& server) {
  TRY(os::Pin(start.cpu));
  os::RaisePriority();
  memory.FillChase(surroundings);
  if (start.counters != 0)
    TRY(server.OpenCounters(static_cast<os::CounterAccess>(start.counters - 1)));
  RequestTileState();
  arch::PrepareKernelEntry(os::ReadCapabilityWords());
  return ReportFaults(memory.worker_response().fault, memory.worker_request());
}

// Until the tool is gone.
void Serve(const WorkerStart& start, RunServer& server) {
  const HANDLE waited[] = {HandleOf(start.requests), HandleOf(start.tool)};
  for (;;) {
    SetEvent(HandleOf(start.answers));
    if (WaitForMultipleObjects(2, waited, FALSE, INFINITE) != WAIT_OBJECT_0) return;
    server.Execute();
  }
}

[[noreturn]] void BeWorker(std::intptr_t section) {
  // No window asks a user what to do about a crash.
  SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
  // Without its memory the worker has nowhere to say why; the tool sees it leave.
  const auto wishes = ReadWishes(section);
  if (!wishes) ExitProcess(1);
  const WorkerStart& start = wishes->start;
  WorkerMemory memory = WorkerMemory::FromParts(start.memory);
  if (!memory.BecomeWorker(wishes->surroundings)) ExitProcess(1);
  // Or code could map its own code writable.
  for (const SharedMemory::Handle handle :
       {start.memory.sent, start.memory.received, start.memory.page}) {
    CloseHandle(HandleOf(handle));
  }

  // As QEMU signs that translates code, be it for a whole machine or, below Wine, for a program.
  const bool emulated = arch::HypervisorSignature() == "TCGTCGTCGTCG";
  memory.worker_response().setup.may_be_emulated = emulated ? 1 : 0;
  RunServer server(memory, wishes->surroundings);
  const Result<void> set_up = SetUp(start, wishes->surroundings, memory, server);
  server.Report(set_up);
  if (set_up) {
    Serve(start, server);
  } else {
    SetEvent(HandleOf(start.answers));
  }
  TerminateProcess(GetCurrentProcess(), 0);
  for (;;) Sleep(INFINITE);
}

// Before `main`, in whatever program the library is part of.
[[gnu::constructor]] void BecomeWorkerIfAsked() {
  if (const auto section = WorkerHandle()) BeWorker(*section);
}

}  // namespace
}  // namespace cyclescope::sandbox
