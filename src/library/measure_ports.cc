// MeasurePorts.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <map>
#include <utility>

#include "arch/headline_forms.h"
#include "cyclescope/measure.h"
#include "library/code_session.h"
#include "library/document_start.h"
#include "library/instruction_jobs.h"
#include "library/warnings.h"
#include "ports/find_ports.h"
#include "ports/port_names.h"

namespace cyclescope {
namespace {

using ports::CoreMap;
using ports::MapClass;
using ports::Mix;
using ports::PortFinder;
using ports::PortSet;

constexpr std::string_view kPart = "ports";

std::string TextOf(const PortFinder& finder, std::size_t form) {
  return finder.forms()[form].form.instruction.text;
}

// The map in the document's words.
class PortWords {
 public:
  PortWords(const PortFinder& finder, assembler::Assembler& assembler)
      : finder_(finder), assembler_(assembler) {
    // Ports are numbered by the search with gaps; here in a row.
    PortSet all = 0;
    for (const MapClass& each : finder.map().classes) all |= each.ports.ports;
    for (int port = 0; port < ports::kMostPorts; ++port) {
      if ((all >> port & 1) != 0) number_.emplace(port, static_cast<int>(number_.size()));
    }
    std::vector<ports::NamedSet> sets;
    for (const MapClass& each : finder.map().classes) {
      const auto model = ModelOf(each.forms.front());
      const bool is_one_uop = model.size() == 1 && model.front().cycles == 1;
      sets.push_back({Renumbered(each.ports.ports),
                      is_one_uop ? model.front().ports : std::vector<std::string>()});
    }
    names_ = ports::NamePorts(static_cast<int>(number_.size()), sets);
  }

  const std::vector<std::string>& names() const { return names_; }

  std::vector<std::string> NamesOf(PortSet set) const {
    std::vector<std::string> names;
    for (const auto& [port, number] : number_) {
      if ((set >> port & 1) != 0) names.push_back(names_[static_cast<std::size_t>(number)]);
    }
    std::ranges::sort(names, [](const std::string& a, const std::string& b) {
      return std::pair(a.size(), a) < std::pair(b.size(), b);
    });
    return names;
  }

  std::vector<assembler::ModelPorts> ModelOf(std::size_t form) const {
    return assembler_.PortsOfModel(finder_.forms()[form].form.instruction);
  }

  std::string MixText(const Mix& mix) const {
    std::string text;
    for (const auto& [form, count] : mix) {
      text += fmt::format("{}{} * {}", text.empty() ? "" : " + ", count, TextOf(finder_, form));
    }
    return text;
  }

 private:
  PortSet Renumbered(PortSet set) const {
    PortSet renumbered = 0;
    for (const auto& [port, number] : number_) renumbered |= PortSet{set >> port & 1} << number;
    return renumbered;
  }

  const PortFinder& finder_;
  assembler::Assembler& assembler_;
  std::map<int, int> number_;
  std::vector<std::string> names_;
};

PortMap MapRows(const PortFinder& finder, const PortWords& words) {
  const CoreMap& map = finder.map();
  PortMap rows;
  rows.dispatch = map.dispatch;
  rows.ports = words.names();
  std::ranges::sort(rows.ports, [](const std::string& a, const std::string& b) {
    return std::pair(a.size(), a) < std::pair(b.size(), b);
  });
  for (const MapClass& each : map.classes) {
    PortClassRow row;
    row.ports = words.NamesOf(each.ports.ports);
    row.per_cycle = each.ports.width;
    row.ambiguous = each.ambiguous;
    for (const std::size_t form : each.forms) row.forms.push_back(TextOf(finder, form));
    rows.classes.push_back(std::move(row));
  }
  for (const auto& [form, reason] : map.left_out)
    rows.left_out.push_back({TextOf(finder, form), reason});
  rows.other_maps = map.other_solutions;
  rows.mixes = static_cast<int>(finder.measured().size());
  return rows;
}

FormPortUse UseRow(const PortFinder& finder, const PortWords& words, std::size_t form,
                   const ports::FormPorts& found, const std::optional<Throughput>& throughput,
                   bool explain) {
  FormPortUse row;
  row.slots = found.slots;
  row.reason = found.not_explained;
  for (const assembler::ModelPorts& model : words.ModelOf(form))
    row.model.push_back({static_cast<int>(model.cycles), model.ports, /*ambiguous=*/false});
  if (found.usage) {
    for (const auto& [set, count] : found.usage->uops)
      row.uops.push_back({count, words.NamesOf(set), finder.map().IsAmbiguous(set)});
    if (found.usage->own_cycles > 0) row.own_cycles = found.usage->own_cycles;
    std::map<PortSet, double> uops;
    for (const auto& [set, count] : found.usage->uops) uops[set] = count;
    const double on_ports = ports::PortTime(uops);
    const double dispatched = found.usage->slots / finder.map().dispatch;
    // Its throughput may have been measured with other instructions that end the chain.
    constexpr double kClearlyLonger = 1.08;
    const bool waits =
        found.waits_for_itself &&
        (!throughput || throughput->cycles.value > kClearlyLonger * std::max(on_ports, dispatched));
    row.binds = row.own_cycles           ? "other"
                : waits                  ? "chain"
                : on_ports >= dispatched ? "ports"
                                         : "dispatch";
  }
  if (!explain) return row;
  std::map<std::size_t, ports::Usage> usages;
  for (const MapClass& each : finder.map().classes) {
    for (const std::size_t member : each.forms) usages.emplace(member, UsageOf(each.ports));
  }
  usages.try_emplace(0);
  if (found.usage) usages.insert_or_assign(form, *found.usage);
  for (const auto& [mix, result] : finder.measured()) {
    const bool has =
        std::ranges::any_of(mix, [form](const auto& part) { return part.first == form; });
    if (!has) continue;
    PortMix& made =
        row.mixes.emplace_back(PortMix{words.MixText(mix), result.cycles, std::nullopt});
    if (std::ranges::all_of(mix, [&](const auto& part) { return usages.contains(part.first); })) {
      made.predicted = ports::MixTime(
          mix, [&](std::size_t part) -> const ports::Usage& { return usages.at(part); },
          finder.map().dispatch);
    }
  }
  return row;
}

}  // namespace

Result<Document> MeasurePorts(const PortsRequest& request, const OnProgress& on_progress) {
  // Hundreds of mixes are worth a longer wait than one instruction.
  constexpr double kPatienceS = 30;
  auto settings = library::CodeSettings::Of(request.code);
  if (settings) settings->patience_s = settings->patience_s.value_or(kPatienceS);
  if (!settings) return std::unexpected(settings.error());
  auto document = library::StartDocument("ports");
  if (!document) return document;
  auto assembler = settings->MakeAssembler(document->host.features);
  if (!assembler) return std::unexpected(assembler.error());
  const library::ParsedTexts texts = library::ParseInstructions(*assembler, request.texts);
  if (!texts.problems.empty()) return std::unexpected(texts.problems.front().ToError());

  library::Pulse pulse(on_progress);
  auto session = library::CodeSession::Open(*settings, pulse, document->host);
  if (!session) {
    if (!pulse.has_ended()) return std::unexpected(session.error());
    document->partial = true;
    return document;
  }
  const auto begin = std::chrono::steady_clock::now();
  PortFinder finder = session->Ports();
  const auto forms = arch::PortForms();
  pulse.Report({.done = 0, .total = 1 + texts.jobs.size(), .part = kPart});
  finder.FindMap({forms.begin(), forms.end()});
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  if (!finder.was_cut_short()) {
    const PortWords words(finder, session->assembler());
    if (finder.map().is_found()) {
      document->port_map = MapRows(finder, words);
      document->port_map->seconds = taken.count();
    } else {
      document->warnings.push_back({"no-port-map",
                                    "the core's ports were not found: " + finder.map().why_none,
                                    "try again on a quiet core"});
    }
    pulse.Report({.done = 1, .total = 1 + texts.jobs.size(), .part = kPart});
    const auto rows = library::MeasureJobs(*session, texts.jobs, pulse);
    std::vector<std::size_t> numbers;
    for (const library::InstructionJob& job : texts.jobs) {
      if (job.instruction) numbers.push_back(finder.Add(*job.instruction));
    }
    const std::vector<std::optional<ports::FormPorts>> found = finder.Find(numbers);
    auto next = found.begin();
    auto number = numbers.begin();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::optional<InstructionRow> row = rows[i];
      if (row && texts.jobs[i].instruction && *next)
        row->ports = UseRow(finder, words, *number, **next, row->throughput, request.explain);
      if (texts.jobs[i].instruction) {
        ++number;
        ++next;
      }
      if (row) document->instructions.push_back(std::move(*row));
    }
  }
  session->Describe(*document);
  library::WarnOfContention(*document);
  document->partial = finder.was_cut_short();
  return document;
}

}  // namespace cyclescope
