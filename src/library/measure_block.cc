// MeasureBlock and what goes with it.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "analysis/dispatch_width.h"
#include "arch/architecture.h"
#include "assembler/listing.h"
#include "blocks/block.h"
#include "cyclescope/measure.h"
#include "document/journal.h"
#include "library/block_jobs.h"
#include "library/block_ports.h"
#include "library/code_session.h"
#include "library/document_start.h"
#include "library/instruction_jobs.h"
#include "library/request_checks.h"
#include "library/row_journal.h"
#include "library/warnings.h"
#include "os/topology.h"

namespace cyclescope {
namespace {

Result<void> CheckRequest(const BlockRequest& request) {
  const int kinds = static_cast<int>(!request.text.empty()) +
                    static_cast<int>(!request.bytes.empty()) +
                    static_cast<int>(!request.sources.empty());
  if (kinds != 1) return BadInput("a block is either text or bytes, or there are many");
  if (auto checked = library::CheckRange("trips", request.trips.value_or(1), 1, kMostCopies);
      !checked)
    return checked;
  return library::CheckRange("unroll", request.unroll.value_or(1), 1, kMostCopies);
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
  if (auto applied = library::ApplySettings(assembler, request, block); !applied)
    return std::unexpected(applied.error());
  return block;
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
  block.text = block.raw ? fmt::format("{:02x}", fmt::join(block.bytes, " ")) : source.text;
  return block;
}

library::BlockJob NoJob(const blocks::Block& block, std::string reason) {
  library::BlockJob job;
  job.row.name = block.name;
  job.row.side = block.side;
  job.row.text = block.text;
  job.row.status = Status::kUnmeasurable;
  job.row.reason = std::move(reason);
  return job;
}

// Whether it may: bytes that cannot be decoded may do anything.
bool MayBranch(assembler::Assembler& assembler, const assembler::Bytes& bytes) {
  const auto decoded = assembler.Decode(bytes);
  return !decoded || std::ranges::any_of(*decoded, [](const assembler::Decoded& each) {
    return each.instruction.flags.ChangesFlow();
  });
}

// Of many snippets a bad one is a row; of one it is an error.
Result<std::vector<library::BlockJob>> MakeJobs(assembler::Assembler& assembler,
                                                const BlockRequest& request) {
  const auto common = CommonBlock(assembler, request);
  if (!common) return std::unexpected(common.error());
  const bool many = !request.sources.empty();
  std::vector<library::BlockJob> jobs;
  for (const BlockSource& source : SourcesOf(request)) {
    const blocks::Block block = BlockOf(*common, source);
    auto job = library::AssembleBlock(assembler, block);
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

// Tells one set of snippets from another.
std::string SourcesName(const BlockRequest& request) {
  std::string all;
  for (const BlockSource& source : request.sources)
    all += fmt::format("{}\n{}\n{}\n", source.name, source.text, fmt::join(source.bytes, " "));
  return fmt::format("{} of {:016x}", request.sources.size(), std::hash<std::string>()(all));
}

// What a journal must know of the request: rows that were made otherwise cannot stand beside its
// own.
std::vector<GivenOption> OptionsOf(const BlockRequest& request) {
  return {
      {"setup", fmt::format("init '{}', set '{}', memory '{}' {}, footprint {}, loop {}, unroll "
                            "{}, trips {}, strict "
                            "{}{}{}",
                            request.init, request.set, request.memory,
                            fmt::join(request.memory_contents, " "), request.footprint.value_or(0),
                            static_cast<int>(request.loop), request.unroll.value_or(0),
                            request.trips.value_or(0), request.strict,
                            request.explain ? ", explained" : "", request.ports ? ", ports" : "")},
      {"sources", SourcesName(request)},
      {"cycles", std::string(library::NameOf(request.code.cycles))}};
}

Result<Document> HeadOf(const BlockRequest& request) {
  auto document = library::StartDocument("block");
  if (document) document->config.options = OptionsOf(request);
  return document;
}

std::string KeyOf(const library::BlockJob& job) {
  if (!job.block) return JournalKey(job.row);
  BlockRow row;
  row.name = job.block->name;
  row.side = job.block->side;
  row.text = job.block->text;
  return JournalKey(row);
}

// Rows that the journal has, or that were measured, by KeyOf.
using RowsByKey = std::unordered_map<std::string, BlockRow>;

RowsByKey RowsOf(library::RowJournal& journal) {
  RowsByKey rows;
  for (BlockRow& row : journal.TakeBlocks()) rows.insert_or_assign(JournalKey(row), std::move(row));
  return rows;
}

std::vector<library::BlockJob> WithoutRow(const std::vector<library::BlockJob>& jobs,
                                          const RowsByKey& rows) {
  std::vector<library::BlockJob> open;
  for (const library::BlockJob& job : jobs) {
    if (!rows.contains(KeyOf(job))) open.push_back(job);
  }
  return open;
}

library::CodeSettings SessionSettings(const library::CodeSettings& settings, std::size_t jobs,
                                      bool with_ports) {
  // Many together are worth a longer wait.
  constexpr std::size_t kManyJobs = 100;
  constexpr double kPatienceEachS = 0.05;
  // So are the mixes that show ports.
  constexpr double kPatienceForPortsS = 30;
  library::CodeSettings session =
      jobs < kManyJobs ? settings : settings.ForMany(kPatienceEachS * static_cast<double>(jobs));
  if (with_ports && jobs < kManyJobs)
    session.patience_s = settings.patience_s.value_or(kPatienceForPortsS);
  // Real code has states that differ from visit to visit: which loads wait for which stores, which
  // part of a loop meets which. One in twenty needs that number for its value to repeat.
  constexpr int kMostVisits = 36;
  session.most_visits = kMostVisits;
  return session;
}

// What predicts blocks by their ports; the document gets its map, or why there is none. Null where
// ports are not asked for.
Result<std::unique_ptr<library::BlockPredictor>> MakePredictor(library::CodeSession& session,
                                                               const BlockRequest& request,
                                                               Document& document) {
  if (!request.ports) return nullptr;
  auto predictor = library::BlockPredictor::Make(session, request.known_ports);
  if (!predictor) return predictor;
  document.port_map = (*predictor)->map();
  if (!(*predictor)->map() && !(*predictor)->was_cut_short()) {
    document.warnings.push_back({"no-port-map",
                                 "the core's ports were not found: " + (*predictor)->why_none(),
                                 "try again on a quiet core"});
  }
  return predictor;
}

// Measures the jobs. Each row goes to `rows` and, if it is whole, to the journal.
Result<void> MeasureJobs(library::CodeSession& session, const std::vector<library::BlockJob>& jobs,
                         const BlockRequest& request, library::Pulse& pulse,
                         library::RowJournal& journal, RowsByKey& rows, Document& document) {
  if (request.known_ports) {
    if (const auto slots = DispatchWidth(*request.known_ports)) session.UseDispatchWidth(*slots);
  }
  auto predictor = MakePredictor(session, request, document);
  if (!predictor) return std::unexpected(predictor.error());
  const auto take_row = [&](const BlockRow& row, bool is_whole) -> Result<void> {
    rows.insert_or_assign(JournalKey(row), row);
    document.partial = document.partial || !is_whole;
    return is_whole ? journal.Append(row) : Result<void>();
  };
  auto measured = library::MeasureBlocks(session, jobs, pulse, take_row, predictor->get());
  if (measured) session.Describe(document);
  return measured;
}

// The rows in the order of the jobs.
void AddRows(const std::vector<library::BlockJob>& jobs, const RowsByKey& rows,
             Document& document) {
  for (const library::BlockJob& job : jobs) {
    const auto row = rows.find(KeyOf(job));
    if (row != rows.end()) document.blocks.push_back(row->second);
  }
  document.partial = document.partial || document.blocks.size() < jobs.size();
}

// The jobs of a checked request, for the host of the document.
Result<std::vector<library::BlockJob>> JobsFor(const BlockRequest& request,
                                               const library::CodeSettings& settings,
                                               const Host& host) {
  if (request.ports && request.known_ports) {
    if (auto checked = library::CheckKnownPorts(*request.known_ports, host); !checked)
      return std::unexpected(checked.error());
  }
  auto assembler = settings.MakeAssembler(host.features);
  if (!assembler) return std::unexpected(assembler.error());
  return MakeJobs(*assembler, request);
}

}  // namespace

Result<Document> MeasureBlock(const BlockRequest& request, const OnProgress& on_progress) {
  if (auto checked = CheckRequest(request); !checked) return std::unexpected(checked.error());
  const auto settings = library::CodeSettings::Of(request.code);
  if (!settings) return std::unexpected(settings.error());
  auto document = HeadOf(request);
  if (!document) return document;
  const auto jobs = JobsFor(request, *settings, document->host);
  if (!jobs) return std::unexpected(jobs.error());
  if (jobs->size() == 1 && !jobs->front().block) {
    document->blocks.push_back(jobs->front().row);
    return document;
  }
  auto journal = library::RowJournal::Open(request.journal, *document);
  if (!journal) return std::unexpected(journal.error());
  RowsByKey rows = RowsOf(*journal);
  const std::vector<library::BlockJob> open = WithoutRow(*jobs, rows);

  library::Pulse pulse(on_progress);
  auto session = library::CodeSession::Open(SessionSettings(*settings, open.size(), request.ports),
                                            pulse, document->host);
  if (!session && !pulse.has_ended()) return std::unexpected(session.error());
  if (session) {
    auto measured = MeasureJobs(*session, open, request, pulse, *journal, rows, *document);
    if (!measured) return std::unexpected(measured.error());
  }
  AddRows(*jobs, rows, *document);
  if (session) library::WarnOfContention(*document);
  if (!document->partial) {
    if (auto written = journal->Complete(*document); !written)
      return std::unexpected(written.error());
  }
  return document;
}

std::optional<std::string> FindOpenJournal(const BlockRequest& request) {
  const auto head = HeadOf(request);
  return head ? library::FindOpenJournal(*head) : std::nullopt;
}

std::optional<Listing> ReadListing(std::string_view text) {
  auto read = assembler::ReadListing(text, *assembler::ParseArchitecture(arch::Name()));
  if (!read) return std::nullopt;
  Listing listing;
  listing.att_syntax = read->att_syntax;
  for (assembler::Region& region : read->regions) {
    std::optional<BlockSourcePlace> source;
    if (region.source) source = {std::move(region.source->file), region.source->line};
    listing.sources.push_back({.name = std::move(region.name),
                               .function = std::move(region.function),
                               .line = region.line,
                               .source = std::move(source),
                               .text = std::move(region.text),
                               .bytes = {},
                               .part = true});
  }
  return listing;
}

Result<std::vector<TextProblem>> CheckTexts(const BlockRequest& request) {
  if (auto checked = CheckRequest(request); !checked) return std::unexpected(checked.error());
  const auto settings = library::CodeSettings::Of(request.code);
  if (!settings) return std::unexpected(settings.error());
  auto assembler = settings->MakeAssembler(library::HostFeatures());
  if (!assembler) return std::unexpected(assembler.error());
  std::vector<TextProblem> problems;
  const std::array texts = {&request.text, &request.init};
  for (std::size_t index = 0; index < texts.size(); ++index) {
    if (texts[index]->empty()) continue;
    const auto assembled = assembler->Assemble(*texts[index]);
    if (!assembled && assembled.error().kind != assembler::TextErrorKind::kNeedsFeature)
      problems.push_back(library::ProblemOf(assembled.error(), index));
  }
  return problems;
}

}  // namespace cyclescope
