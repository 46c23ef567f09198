#include "library/memory_accesses.h"

#include <fmt/core.h>

#include <string>
#include <utility>
#include <vector>

#include "arch/access_forms.h"
#include "base/try.h"
#include "library/block_jobs.h"
#include "library/code_session.h"
#include "memory/accesses.h"
#include "os/memory_area.h"

namespace cyclescope::library {
namespace {

// `name` finds its row again.
Result<BlockJob> JobOf(assembler::Assembler& assembler, const memory::PlannedAccess& planned,
                       std::string name) {
  BlockRequest request;
  request.text = planned.access.text;
  request.set = fmt::format("{}={:#x}", arch::AccessBase(), planned.base);
  return OwnJob(assembler, request, std::move(name));
}

}  // namespace

Result<void> MeasureAccesses(const AccessRun& run, const Host& host, Pulse& pulse, MemoryRow& row) {
  CodeSettings settings;
  settings.cpu = run.cpu;
  settings.patience_s = 0.5;
  settings.watches = run.watches;
  auto assembler = TRY(settings.MakeAssembler(host.features));
  const std::vector<memory::PlannedAccess> planned =
      memory::PlanAccesses(arch::AccessForms(), row.line_bytes,
                           static_cast<std::int64_t>(os::SmallPageBytes()), kSnippetMemory);
  std::vector<BlockJob> jobs;
  for (std::size_t i = 0; i < planned.size(); ++i) {
    jobs.push_back(TRY(JobOf(assembler, planned[i], std::to_string(i))));
  }

  Pulse timed([&pulse](const Progress&) { return pulse.GoesOn(); },
              std::chrono::duration<double>(run.most_time).count());
  auto session = CodeSession::Open(settings, timed, host, std::move(assembler));
  if (!session && !timed.has_ended()) return std::unexpected(session.error());
  if (session) {
    TRY(MeasureBlocks(
        *session, jobs, timed, [&](const BlockRow& each, bool /*is_whole*/) -> Result<void> {
          MemoryAccess access = planned[static_cast<std::size_t>(std::stoul(each.name))].access;
          access.status = each.status;
          access.cycles = each.cycles;
          row.accesses.push_back(std::move(access));
          return {};
        }));
  }
  if (row.accesses.size() < planned.size()) row.left_out.emplace_back("accesses");
  return {};
}

}  // namespace cyclescope::library
