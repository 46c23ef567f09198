#include "sandbox/run_server.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

#include "arch/kernel_entry.h"
#include "base/try.h"
#include "sandbox/call_timer.h"

namespace cyclescope::sandbox {
namespace {

template <std::size_t kSize>
void CopyText(const std::string& text, std::array<char, kSize>& to) {
  to.fill('\0');
  text.copy(to.data(), kSize - 1);
}

}  // namespace

Result<void> RunServer::OpenCounters(os::CounterAccess access) {
  counters_ = TRY(os::Counters::Open(access));
  return {};
}

void RunServer::Execute() {
  const Request& request = memory_.worker_request();
  Response& response = memory_.worker_response();
  // Clearing them also makes sure that no page of them is touched for the first time between calls.
  std::fill_n(response.records.begin(), request.call_count, RecordData{});
  const std::span<std::uint64_t> scratch =
      surroundings_.scratch ? memory_.scratch_words() : std::span<std::uint64_t>();
  std::ranges::fill(scratch, 0);
  if (request.load != seen_load_) {
    arch::SynchronizeCode(reinterpret_cast<const void*>(memory_.code_address()), request.code_size);
    seen_load_ = request.load;
  }

  CallTimer timer({.code = memory_.code_address(),
                   .offsets = request.kernel_offsets,
                   .scratch = memory_.scratch_address(),
                   .stack = memory_.kernel_stack_pointer(),
                   .memory = scratch,
                   .page = surroundings_.scratch ? std::span<std::uint64_t>()
                                                 : memory_.page_words(surroundings_),
                   .page_image = surroundings_.contents.empty() ? std::span<const std::uint64_t>()
                                                                : memory_.page_image_words()},
                  counters_ ? &*counters_ : nullptr);
  response.record_count = static_cast<std::uint32_t>(
      timer.TimeAll(std::span(request.calls).first(request.call_count),
                    [&response](std::size_t place, const CallRecord& record) {
                      response.records[place] = ToData(record);
                    }));
  response.sequence = request.sequence;
}

void RunServer::Report(const Result<void>& set_up) {
  SetupReport& report = memory_.worker_response().setup;
  report.failed = set_up ? 0 : 1;
  if (set_up) return;
  CopyText(set_up.error().message, report.message);
  CopyText(set_up.error().hint, report.hint);
}

}  // namespace cyclescope::sandbox
