// What the tool and its worker tell each other through shared memory. The request is read-only in
// the worker and the response is read-only in the tool, so that neither can change what it was
// told. Everything in a response may have been scribbled on by generated code: the tool copies it
// out once, checks the counts and sequence numbers, and takes the rest as mere data. There is no
// bool or enum in it, since not every byte is a value of those.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "sandbox/call.h"
#include "sandbox/executor.h"

namespace cyclescope::sandbox {

// The most kernels that one load takes.
inline constexpr std::size_t kMostKernels = 512;

// What goes between them, both ways: the number of the run that is asked for or done. 0 is
// the worker's word that it is set up.
using RunNumber = std::uint32_t;
inline constexpr RunNumber kReady = 0;

struct Request {
  RunNumber sequence = 0;
  std::uint32_t load = 0;  // counts loads, so that the worker knows when the code is new
  std::uint32_t code_size = 0;
  std::uint32_t call_count = 0;
  std::array<std::uint32_t, kMostKernels> kernel_offsets{};  // from where the code begins
  std::array<Call, kMostCalls> calls{};
};

struct RecordData {
  std::uint64_t ticks = 0;
  std::uint64_t cycles = 0;
  std::uint64_t instructions = 0;
  std::uint64_t reference_cycles = 0;
  std::uint32_t context_switches = 0;
  std::uint16_t looks = 0;
  std::uint16_t flags = 0;  // of RecordFlag
};

enum RecordFlag : std::uint16_t {
  kCountersValid = 1U << 0,
  kMigrated = 1U << 1,
};

RecordData ToData(const CallRecord& record);
CallRecord FromData(const RecordData& data);

// The exit status of a worker that left a fault report.
inline constexpr int kFaultReported = 86;

// Written by the handler of faults before the worker leaves.
struct FaultReport {
  RunNumber sequence = 0;
  std::uint32_t cause = 0;  // the system's number: of the signal or of the exception
  std::int32_t detail = 0;  // what the system says besides (si_code)
  std::uint64_t address = 0;
  std::uint64_t program_counter = 0;
};

// How setting up ended; written before any generated code has run.
struct SetupReport {
  std::int32_t failed = 0;
  std::int32_t has_filter = 0;    // of system calls
  std::int32_t filter_error = 0;  // the errno with which it was refused; 0 where there is no such
  std::int32_t may_be_emulated = 0;
  std::array<char, 512> message{};  // of the Error, when failed
  std::array<char, 512> hint{};
};

struct Response {
  SetupReport setup;
  FaultReport fault;
  RunNumber sequence = 0;  // of the last run that was completed
  std::uint32_t record_count = 0;
  std::array<RecordData, kMostCalls> records{};
};

}  // namespace cyclescope::sandbox
