#include <windows.h>

#include "arch/kernel_entry.h"
#include "sandbox/death.h"
#include "sandbox/windows/be_worker.h"
#include "sandbox/windows/handles.h"

namespace cyclescope::sandbox {
namespace {

FaultReport* fault_report = nullptr;
const Request* current_request = nullptr;

// A pointer and not a call through a table that generated code may have overwritten.
BOOL(WINAPI* const volatile kLeave)(HANDLE, UINT) = &TerminateProcess;

// A vectored handler is asked before any other, and needs no data about how functions unwind, which
// generated code does not have.
LONG WINAPI ReportAndLeave(EXCEPTION_POINTERS* exception) {
  arch::RestoreHandlerState();
  const EXCEPTION_RECORD& record = *exception->ExceptionRecord;
  if (!IsFault(record.ExceptionCode)) return EXCEPTION_CONTINUE_SEARCH;
  fault_report->cause = record.ExceptionCode;
  // Of an access violation: whether it read, wrote or executed, and where; -1 where the processor
  // does not say.
  const bool has_address = record.NumberParameters >= 2 &&
                           (record.ExceptionCode == EXCEPTION_ACCESS_VIOLATION ||
                            record.ExceptionCode == EXCEPTION_IN_PAGE_ERROR) &&
                           record.ExceptionInformation[1] != ~ULONG_PTR{0};
  fault_report->detail = has_address ? 1 : 0;
  fault_report->address = has_address ? record.ExceptionInformation[1] : 0;
  fault_report->program_counter = exception->ContextRecord->Rip;
  fault_report->sequence = current_request->sequence;
  kLeave(reinterpret_cast<HANDLE>(-1), kFaultReported);
  return EXCEPTION_CONTINUE_SEARCH;
}

}  // namespace

Result<void> ReportFaults(FaultReport& report, const Request& request) {
  fault_report = &report;
  current_request = &request;
  constexpr ULONG kFirst = 1;
  if (AddVectoredExceptionHandler(kFirst, ReportAndLeave) == nullptr) {
    return FailedTo("set the worker's handler of faults");
  }
  return {};
}

}  // namespace cyclescope::sandbox
