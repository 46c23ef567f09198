#include "library/block_jobs.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "analysis/claims.h"
#include "base/try.h"
#include "library/instruction_jobs.h"
#include "library/request_checks.h"
#include "os/topology.h"

namespace cyclescope::library {
namespace {

assembler::TextResult<void> AssembleTexts(assembler::Assembler& assembler, ReadTexts& read,
                                          blocks::Block& block) {
  if (!block.init_text.empty()) {
    const auto& init = read.Assemble(assembler, block.init_text);
    if (!init) return std::unexpected(init.error());
    block.init = init->bytes;
    block.init_instructions = init->instructions;
  }
  if (block.raw) {
    if (!assembler.EndsWithin(block.bytes)) return {};
    assembler::TextError cut_off;
    cut_off.kind = assembler::TextErrorKind::kSyntax;
    cut_off.message = "the bytes end within an instruction";
    cut_off.line = 0;  // bytes have none
    return std::unexpected(cut_off);
  }
  auto snippet = TRY(block.part ? assembler.AssemblePart(block.text, block.table_labels)
                                : read.Assemble(assembler, block.text));
  block.bytes = std::move(snippet.bytes);
  block.instructions = std::move(snippet.instructions);
  block.tables = std::move(snippet.tables);
  block.symbols = std::move(snippet.symbols);
  return {};
}

// `subjects` and `rows` are those of the jobs that have a block.
void Predict(CodeSession& session, std::span<const BlockJob> jobs,
             std::span<const blocks::BlockSubject> subjects,
             std::vector<std::optional<BlockRow>>& rows) {
  std::vector<CodeSession::Unpredicted> unpredicted;
  std::size_t place = 0;
  for (const BlockJob& job : jobs) {
    if (!job.block) continue;
    const std::size_t own = place++;
    if (rows[own] && job.predict)
      unpredicted.push_back({&subjects[own], job.timeline, &*rows[own]});
  }
  session.Predict(unpredicted);
}

std::vector<BlockSource> SourcesOf(const BlockRequest& request) {
  if (!request.sources.empty()) return request.sources;
  return {{.name = {}, .text = request.text, .bytes = request.bytes}};
}

// What all snippets of the request have in common.
Result<blocks::Block> CommonBlock(const assembler::Assembler& assembler,
                                  const BlockRequest& request) {
  blocks::Block block;
  block.init_text = request.init;
  block.loop = request.loop;
  block.unroll = request.unroll;
  block.trips = request.trips;
  block.footprint = request.footprint;
  if (const auto caches = os::ReadCaches(0); caches && !caches->empty())
    block.first_cache = caches->front().bytes;
  TRY(ApplySettings(assembler, request, block));
  return block;
}

std::vector<assembler::JumpTable> TablesOf(const BlockSource& source) {
  std::vector<assembler::JumpTable> tables;
  for (const BlockJumpTable& table : source.tables)
    tables.push_back({.jump = table.jump, .targets = table.targets});
  return tables;
}

blocks::Block BlockOf(const blocks::Block& common, const BlockSource& source) {
  blocks::Block block = common;
  block.name = source.name;
  block.side = source.side;
  block.function = source.function;
  block.line = source.line;
  block.source = source.source;
  block.bytes = source.bytes;
  block.raw = !source.bytes.empty();
  block.part = source.part;
  block.code_offsets = source.code_offsets;
  block.table_labels = TablesOf(source);
  block.avoided_calls = source.avoided_calls;
  block.avoided_loops = source.avoided_loops;
  block.loop_around = source.loop_around;
  block.inside_loop = source.inside_loop;
  block.text = block.raw ? fmt::format("{:02x}", fmt::join(block.bytes, " ")) : source.text;
  return block;
}

BlockJob NoJob(const blocks::Block& block, std::string reason) {
  BlockJob job;
  job.row.name = block.name;
  job.row.side = block.side;
  job.row.text = block.text;
  job.row.status = Status::kUnmeasurable;
  job.row.reason = std::move(reason);
  return job;
}

// True if it may: bytes that cannot be decoded may do anything.
bool MayBranch(assembler::Assembler& assembler, const assembler::Bytes& bytes) {
  const auto decoded = assembler.Decode(bytes);
  return !decoded || std::ranges::any_of(*decoded, [](const assembler::Decoded& each) {
    return each.instruction.flags.ChangesFlow();
  });
}

}  // namespace

Result<void> CheckBlockRequest(const BlockRequest& request) {
  const int kinds = static_cast<int>(!request.text.empty()) +
                    static_cast<int>(!request.bytes.empty()) +
                    static_cast<int>(!request.sources.empty());
  if (kinds != 1) return BadInput("a block is either text or bytes, or there are many");
  TRY(CheckRange("trips", request.trips.value_or(1), 1, kMostCopies));
  return CheckRange("unroll", request.unroll.value_or(1), 1, kMostCopies);
}

Result<std::vector<BlockJob>> MakeJobs(Reader& reader, const BlockRequest& request) {
  assembler::Assembler& assembler = reader.assembler;
  const auto common = TRY(CommonBlock(assembler, request));
  const bool many = !request.sources.empty();
  std::vector<BlockJob> jobs;
  for (const BlockSource& source : SourcesOf(request)) {
    const blocks::Block block = BlockOf(common, source);
    auto job = AssembleBlock(assembler, block, reader.texts);
    if (!job) {
      const Error error = job.error().ToError();
      if (!many) return std::unexpected(error);
      jobs.push_back(NoJob(block, error.ToString()));
    } else if (job->block && job->block->bytes.empty()) {
      constexpr char kEmpty[] = "there is no instruction in the snippet";
      if (!many) return BadInput(kEmpty);
      jobs.push_back(NoJob(block, kEmpty));
    } else if (!many && request.trips && job->block && !MayBranch(assembler, job->block->bytes)) {
      return BadInput("the snippet has no branch of its own, and so no trips",
                      "--unroll says how many copies of it follow each other");
    } else {
      job->predict = request.predict;
      job->timeline = request.timeline;
      job->explain = request.explain || request.ports;
      jobs.push_back(std::move(*job));
    }
  }
  return jobs;
}

std::vector<TextProblem> ProblemsOfSources(assembler::Assembler& assembler,
                                           const BlockRequest& request) {
  std::vector<TextProblem> problems;
  for (std::size_t index = 0; index < request.sources.size(); ++index) {
    const BlockSource& source = request.sources[index];
    if (!source.bytes.empty()) continue;
    const auto assembled = source.part ? assembler.AssemblePart(source.text, TablesOf(source))
                                       : assembler.Assemble(source.text);
    if (assembled || assembled.error().kind == assembler::TextErrorKind::kNeedsFeature) continue;
    TextProblem problem = ProblemOf(assembled.error(), index);
    if (problem.line > 0 && problem.line <= source.places.size()) {
      const BlockTextPlace& place = source.places[problem.line - 1];
      problem.line = static_cast<std::size_t>(place.line);
      problem.column += static_cast<std::size_t>(std::max(place.column, 1)) - 1;
    }
    problems.push_back(std::move(problem));
  }
  return problems;
}

assembler::TextResult<BlockJob> AssembleBlock(assembler::Assembler& assembler, blocks::Block block,
                                              ReadTexts& read) {
  const auto assembled = AssembleTexts(assembler, read, block);
  if (assembled) return BlockJob{.block = std::move(block)};
  if (assembled.error().kind != assembler::TextErrorKind::kNeedsFeature)
    return std::unexpected(assembled.error());
  BlockJob job;
  job.row.name = block.name;
  job.row.text = block.text;
  job.row.init = block.init_text;
  job.row.status = Status::kUnsupported;
  job.row.claims = {FeatureNotOffered(assembled.error())};
  job.row.reason = Sentence(job.row.claims.front());
  return job;
}

Result<BlockJob> OwnJob(assembler::Assembler& assembler, const BlockRequest& request,
                        std::string name) {
  blocks::Block block;
  block.name = std::move(name);
  block.text = request.text;
  TRY(ApplySettings(assembler, request, block));
  ReadTexts read;
  auto job = AssembleBlock(assembler, std::move(block), read);
  if (!job) return std::unexpected(job.error().ToError());
  return std::move(*job);
}

Result<void> MeasureBlocks(CodeSession& session, std::span<const BlockJob> jobs, Pulse& pulse,
                           const OnBlockRow& on_row, const BlockAdditions& additions) {
  constexpr std::string_view kPart = "snippets";
  // Enough of them that the visits to one lie apart in time without waiting; each has a process.
  constexpr std::size_t kBlocksTogether = 32;
  std::size_t done = 0;
  bool go_on = pulse.Report({.done = 0, .total = jobs.size(), .part = kPart});
  while (go_on && done < jobs.size()) {
    const auto group = jobs.subspan(done, std::min(kBlocksTogether, jobs.size() - done));
    std::vector<blocks::BlockSubject> subjects;
    for (const BlockJob& job : group) {
      if (job.block) subjects.push_back(session.Read(*job.block));
    }
    std::vector<std::optional<BlockRow>> rows = session.Measure(subjects);
    Predict(session, group, subjects, rows);
    std::size_t place = 0;
    for (const BlockJob& job : group) {
      const blocks::BlockSubject* subject = job.block ? &subjects[place] : nullptr;
      std::optional<BlockRow> each = job.block ? std::move(rows[place++]) : job.row;
      if (!each) continue;  // it was cut short
      if (subject != nullptr && job.explain) session.Explain(*subject, *each);
      if (subject != nullptr && additions.ports != nullptr)
        additions.ports->Predict(*subject, *each);
      if (subject != nullptr && additions.machine != nullptr && each->cycles)
        additions.machine->Predict(*subject, additions.machine_iterations, *each);
      const bool has_more = subject != nullptr && (job.explain || additions.ports != nullptr);
      TRY(on_row(*each, !has_more || !pulse.has_ended()));
    }
    done += group.size();
    go_on = pulse.Report({.done = done, .total = jobs.size(), .part = kPart});
  }
  return {};
}

}  // namespace cyclescope::library
