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
#include "base/try.h"
#include "blocks/block.h"
#include "cyclescope/measure.h"
#include "document/journal.h"
#include "library/block_jobs.h"
#include "library/block_ports.h"
#include "library/code_session.h"
#include "library/document_start.h"
#include "library/instruction_jobs.h"
#include "library/row_journal.h"
#include "library/warnings.h"

namespace cyclescope {
namespace {

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
      {"setup",
       fmt::format("init '{}', set '{}', memory '{}' {}, footprint {}, loop {}, unroll "
                   "{}, trips {}, strict "
                   "{}{}{}{}",
                   request.init, request.set, request.memory,
                   fmt::join(request.memory_contents, " "), request.footprint.value_or(0),
                   static_cast<int>(request.loop), request.unroll.value_or(0),
                   request.trips.value_or(0), request.strict, request.explain ? ", explained" : "",
                   request.ports ? ", ports" : "", request.machine ? ", machine" : "")},
      {"sources", SourcesName(request)},
      {"cycles", std::string(ToString(request.code.cycles))}};
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
  constexpr std::size_t kJobsForLongWait = 100;
  constexpr double kPatienceEachS = 0.05;
  // So are the mixes that show ports.
  constexpr double kPatienceForPortsS = 30;
  library::CodeSettings session =
      jobs < kJobsForLongWait ? settings
                              : settings.ForMany(kPatienceEachS * static_cast<double>(jobs));
  if (with_ports && jobs < kJobsForLongWait)
    session.patience_s = settings.patience_s.value_or(kPatienceForPortsS);
  // Real code has states that differ from visit to visit: which loads wait for which stores, which
  // part of a loop meets which. One in twenty needs that number for its value to repeat.
  constexpr int kMostVisits = 36;
  session.most_visits = kMostVisits;
  return session;
}

// Measures the jobs. Each row goes to `rows` and, if it is whole, to the journal.
Result<void> MeasureJobs(library::CodeSession& session, const std::vector<library::BlockJob>& jobs,
                         const BlockRequest& request, library::Pulse& pulse,
                         library::RowJournal& journal, RowsByKey& rows, Document& document) {
  if (request.known_ports) {
    if (const auto slots = DispatchWidth(*request.known_ports)) session.UseDispatchWidth(*slots);
  }
  std::unique_ptr<library::BlockPredictor> predictor;
  if (request.ports) {
    predictor = TRY(library::BlockPredictor::Make(session, request.known_ports));
    predictor->ports().DescribeMap("try again on a quiet core", document);
  }
  const auto take_row = [&](const BlockRow& row, bool is_whole) -> Result<void> {
    rows.insert_or_assign(JournalKey(row), row);
    document.partial = document.partial || !is_whole;
    return is_whole ? journal.Append(row) : Result<void>();
  };
  std::unique_ptr<library::ModelledMachine> machine;
  if (request.machine) {
    machine = TRY(library::ModelledMachine::Make(*request.machine));
  }
  auto measured = library::MeasureBlocks(session, jobs, pulse, take_row,
                                         {.ports = predictor.get(),
                                          .machine = machine.get(),
                                          .machine_iterations = request.machine_iterations});
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
Result<std::vector<library::BlockJob>> JobsFor(const BlockRequest& request, const Host& host,
                                               library::Reader& reader) {
  if (request.ports && request.known_ports)
    TRY(library::CheckKnownPorts(*request.known_ports, host));
  if (request.machine && request.machine->host.architecture != host.architecture) {
    return BadInput(fmt::format("the machine in '{}' is of another architecture: {}",
                                request.machine->source, request.machine->host.architecture),
                    "predict says what a snippet takes there");
  }
  return library::MakeJobs(reader, request);
}

}  // namespace

Result<Document> MeasureBlock(const BlockRequest& request, const OnProgress& on_progress) {
  TRY(library::CheckBlockRequest(request));
  const auto settings = TRY(library::CodeSettings::Of(request.code));
  auto document = TRY(HeadOf(request));
  auto reader = TRY(settings.TakeReader(document.host.features));
  const auto jobs = TRY(JobsFor(request, document.host, reader));
  if (jobs.size() == 1 && !jobs.front().block) {
    document.blocks.push_back(jobs.front().row);
    return document;
  }
  auto journal = TRY(library::RowJournal::Open(request.journal, document));
  RowsByKey rows = RowsOf(journal);
  const std::vector<library::BlockJob> open = WithoutRow(jobs, rows);

  library::Pulse pulse(on_progress);
  auto session = library::CodeSession::Open(SessionSettings(settings, open.size(), request.ports),
                                            pulse, document.host, std::move(reader.assembler));
  if (!session && !pulse.has_ended()) return std::unexpected(session.error());
  if (session) TRY(MeasureJobs(*session, open, request, pulse, journal, rows, document));
  AddRows(jobs, rows, document);
  if (session) library::WarnOfContention(document);
  if (!document.partial) TRY(journal.Complete(document));
  return document;
}

std::optional<std::string> FindOpenJournal(const BlockRequest& request) {
  const auto head = HeadOf(request);
  return head ? library::FindOpenJournal(*head) : std::nullopt;
}

std::optional<Listing> ReadListing(std::string_view text, std::string_view architecture) {
  const auto known =
      assembler::ParseArchitecture(architecture.empty() ? arch::Name() : architecture);
  if (!known) return std::nullopt;
  auto read = assembler::ReadListing(text, *known);
  if (!read) return std::nullopt;
  Listing listing;
  listing.att_syntax = read->att_syntax;
  for (assembler::Region& region : read->regions) {
    std::optional<BlockSourcePlace> source;
    if (region.source) source = {std::move(region.source->file), region.source->line};
    std::vector<BlockTextPlace> places;
    for (const assembler::TextPlace& place : region.places)
      places.push_back({place.line, place.column});
    std::vector<BlockJumpTable> tables;
    for (assembler::JumpTable& table : region.tables)
      tables.push_back({.jump = table.jump, .targets = std::move(table.targets)});
    listing.sources.push_back({.name = std::move(region.name),
                               .function = std::move(region.function),
                               .line = region.line,
                               .source = std::move(source),
                               .text = std::move(region.text),
                               .places = std::move(places),
                               .bytes = {},
                               .part = true,
                               .tables = std::move(tables),
                               .avoided_calls = std::move(region.avoided_calls),
                               .avoided_loops = std::move(region.avoided_loops),
                               .loop_around = region.loop_around,
                               .inside_loop = region.inside_loop});
  }
  return listing;
}

void FindCodeOffsets(std::string_view text, bool att_syntax, std::vector<BlockSource>& sources,
                     std::string_view architecture) {
  const auto known =
      assembler::ParseArchitecture(architecture.empty() ? arch::Name() : architecture);
  if (!known) return;
  std::vector<std::vector<assembler::TextPlace>> places;
  std::vector<assembler::LoopLines> loops;
  for (const BlockSource& source : sources) {
    auto& own = places.emplace_back();
    for (const BlockTextPlace& place : source.places) own.push_back({place.line, place.column});
  }
  for (std::size_t i = 0; i < sources.size(); ++i)
    loops.push_back({places[i], sources[i].function});
  auto offsets = assembler::CodeOffsets(
      text, *known, att_syntax ? assembler::Syntax::kAtt : assembler::Syntax::kIntel, loops);
  for (std::size_t i = 0; i < sources.size(); ++i) sources[i].code_offsets = std::move(offsets[i]);
}

Result<std::vector<TextProblem>> CheckTexts(const BlockRequest& request) {
  TRY(library::CheckBlockRequest(request));
  const auto settings = TRY(library::CodeSettings::Of(request.code));
  auto reader = TRY(settings.TakeReader(library::HostFeatures()));
  std::vector<TextProblem> problems;
  const std::array texts = {&request.text, &request.init};
  for (std::size_t index = 0; index < texts.size(); ++index) {
    if (texts[index]->empty()) continue;
    const auto& assembled = reader.texts.Assemble(reader.assembler, *texts[index]);
    if (!assembled && assembled.error().kind != assembler::TextErrorKind::kNeedsFeature)
      problems.push_back(library::ProblemOf(assembled.error(), index));
  }
  if (settings.reader) settings.reader->Keep(std::move(reader));
  return problems;
}

Result<std::vector<TextProblem>> CheckSources(const BlockRequest& request) {
  const auto settings = TRY(library::CodeSettings::Of(request.code));
  auto assembler = TRY(settings.MakeAssembler(library::HostFeatures()));
  return library::ProblemsOfSources(assembler, request);
}

}  // namespace cyclescope
