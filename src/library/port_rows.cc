#include "library/port_rows.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "analysis/claims.h"
#include "arch/headline_forms.h"
#include "base/try.h"
#include "ports/port_names.h"
#include "ports/what_binds.h"

namespace cyclescope::library {
namespace {

using ports::CoreMap;
using ports::MapClass;
using ports::Mix;
using ports::PortSet;

// p2 comes before p10.
bool ComesFirst(const std::string& a, const std::string& b) {
  return std::pair(a.size(), a) < std::pair(b.size(), b);
}

}  // namespace

PortRows::PortRows(CodeSession& session, std::string model)
    : session_(session), model_(std::move(model)), finder_(session.Ports()) {}

void PortRows::FindMap() {
  const auto begin = std::chrono::steady_clock::now();
  const auto forms = arch::PortForms();
  finder_.FindMap({forms.begin(), forms.end()});
  if (was_cut_short() || !finder_.map().is_found()) return;
  NameAsTheModel();
  map_ = MakeMap();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  map_->seconds = taken.count();
}

Result<void> PortRows::UseMap(const PortMap& known) {
  CoreMap map;
  map.dispatch = known.dispatch;
  map.other_solutions = known.other_maps;
  if (known.ports.size() > ports::kMostPorts) return BadInput("the port map has too many ports");
  constexpr double kMostSlots = 64;
  if (!(known.dispatch >= 1 && known.dispatch <= kMostSlots))
    return BadInput(fmt::format("the port map has {:g} slots a cycle; there can be 1 to {:g}",
                                known.dispatch, kMostSlots));
  for (std::size_t port = 0; port < known.ports.size(); ++port)
    names_.emplace_back(static_cast<int>(port), known.ports[port]);
  const auto add_form = [this](const std::string& text) -> Result<std::size_t> {
    const auto parsed = session_.assembler().Parse(text);
    if (!parsed || parsed->size() != 1)
      return BadInput(fmt::format("the port map has '{}', which cannot be read here", text));
    return finder_.Add(parsed->front());
  };
  // What does nothing but take a slot is form 0 of every map.
  TRY(add_form(std::string(arch::PortForms().front())));
  for (const PortClassRow& row : known.classes) {
    MapClass& each = map.classes.emplace_back();
    if (row.per_cycle > static_cast<int>(row.ports.size()))
      return BadInput(
          "a class of the port map starts more instructions in a cycle than it has ports");
    each.ports.width = row.per_cycle;
    each.ambiguous = row.ambiguous;
    for (const std::string& port : row.ports) {
      const auto place = std::ranges::find(known.ports, port);
      if (place == known.ports.end())
        return BadInput(fmt::format("the port map has no port '{}'", port));
      each.ports.ports |= PortSet{1} << (place - known.ports.begin());
    }
    each.ports.limited = static_cast<int>(row.ports.size()) > row.per_cycle;
    for (const std::string& text : row.forms) {
      each.forms.push_back(TRY(add_form(text)));
    }
    if (each.forms.empty() || row.per_cycle < 1 || row.ports.empty())
      return BadInput("the port map has a class without instructions or ports");
  }
  finder_.UseMap(std::move(map));
  if (finder_.map().is_found()) map_ = known;
  return {};
}

void PortRows::DescribeMap(std::string_view hint, Document& document) const {
  document.port_map = map_;
  if (map_ || was_cut_short()) return;
  document.warnings.push_back(
      WarningOf("no-port-map", {ClaimCode::kNoPortMap, {{"reason", finder_.map().why_none}}},
                std::string(hint)));
}

void PortRows::NameAsTheModel() {
  // Ports are numbered by the search with gaps; names want them in a row.
  PortSet all = 0;
  for (const MapClass& each : finder_.map().classes) all |= each.ports.ports;
  std::vector<int> numbers;
  for (int port = 0; port < ports::kMostPorts; ++port) {
    if ((all >> port & 1) != 0) numbers.push_back(port);
  }
  const auto in_a_row = [&numbers](PortSet set) {
    PortSet renumbered = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      renumbered |= PortSet{set >> numbers[i] & 1} << i;
    return renumbered;
  };
  std::vector<ports::NamedSet> sets;
  for (const MapClass& each : finder_.map().classes) {
    const auto model = ModelOf(each.forms.front());
    const bool is_one_uop = model.size() == 1 && model.front().uops == 1;
    sets.push_back({in_a_row(each.ports.ports),
                    is_one_uop ? model.front().ports : std::vector<std::string>()});
  }
  const auto names = ports::NamePorts(static_cast<int>(numbers.size()), sets);
  for (std::size_t i = 0; i < numbers.size(); ++i) names_.emplace_back(numbers[i], names[i]);
  std::ranges::sort(names_, ComesFirst, [](const auto& each) { return each.second; });
}

std::vector<std::string> PortRows::NamesOf(PortSet set) const {
  std::vector<std::string> names;
  for (const auto& [port, name] : names_) {
    if ((set >> port & 1) != 0) names.push_back(name);
  }
  return names;
}

std::vector<PortUse> PortRows::ModelOf(std::size_t form) const {
  std::vector<PortUse> uses;
  for (const assembler::ModelPorts& model :
       session_.assembler().PortsOfModel(finder_.forms()[form].form.instruction, model_)) {
    PortUse& use = uses.emplace_back();
    use.uops = static_cast<int>(model.cycles);
    for (const std::string& port : model.ports) use.ports.push_back(ports::ShortPortName(port));
    std::ranges::sort(use.ports, ComesFirst);
  }
  return uses;
}

std::string PortRows::TextOf(std::size_t form) const {
  return finder_.forms()[form].form.instruction.text;
}

std::string PortRows::MixText(const Mix& mix) const {
  std::string text;
  for (const auto& [form, count] : mix)
    text += fmt::format("{}{} * {}", text.empty() ? "" : " + ", count, TextOf(form));
  return text;
}

PortMap PortRows::MakeMap() const {
  const CoreMap& map = finder_.map();
  PortMap rows;
  rows.dispatch = map.dispatch;
  for (const auto& [port, name] : names_) rows.ports.push_back(name);
  for (const MapClass& each : map.classes) {
    PortClassRow& row = rows.classes.emplace_back();
    row.ports = NamesOf(each.ports.ports);
    row.per_cycle = each.ports.width;
    row.ambiguous = each.ambiguous;
    for (const std::size_t form : each.forms) row.forms.push_back(TextOf(form));
  }
  for (const auto& [form, claim] : map.left_out)
    rows.left_out.push_back({TextOf(form), Sentence(claim), claim});
  rows.other_maps = map.other_solutions;
  rows.mixes = static_cast<int>(finder_.measured().size());
  return rows;
}

void PortRows::Describe(std::size_t form, const ports::FormPorts& found,
                        InstructionRow& row) const {
  row.slots = found.slots;
  row.ports.clear();
  PortFinding& finding = row.port_finding.emplace();
  finding.claim = found.not_explained;
  if (finding.claim) finding.reason = Sentence(*finding.claim);
  finding.model = ModelOf(form);
  if (!found.usage) return;
  for (const auto& [set, count] : found.usage->uops)
    row.ports.push_back({count, NamesOf(set), finder_.map().IsAmbiguous(set)});
  if (found.usage->own_cycles > 0) finding.own_cycles = found.usage->own_cycles;
  std::map<PortSet, double> uops;
  for (const auto& [set, count] : found.usage->uops) uops[set] = count;
  ports::FormTimes times = {.ports = ports::PortTime(uops),
                            .dispatch = found.usage->slots / finder_.map().dispatch,
                            .own = finding.own_cycles.value_or(0),
                            .waits_for_itself = found.waits_for_itself};
  if (row.throughput) times.throughput = row.throughput->cycles;
  for (const Latency& latency : row.latency) {
    if (latency.from == latency.to && latency.kind == LatencyKind::kExact)
      times.own_chain = std::max(times.own_chain.value_or(0), latency.cycles.value);
  }
  if (!ports::AreContradicted(times)) {
    finding.binds = ports::WhatBinds(times);
    return;
  }
  row.ports.clear();
  finding.own_cycles.reset();
  finding.claim = Claim{ClaimCode::kPortsTakeLonger,
                        {{"needed", std::max({times.ports, times.dispatch, times.own})},
                         {"cycles", times.throughput->value}}};
  finding.reason = Sentence(*finding.claim);
}

std::vector<PortMix> PortRows::MixesOf(std::size_t form, const ports::FormPorts& found) const {
  std::map<std::size_t, ports::Usage> usages;
  for (const MapClass& each : finder_.map().classes) {
    for (const std::size_t member : each.forms) usages.emplace(member, UsageOf(each.ports));
  }
  usages.try_emplace(0);
  if (found.usage) usages.insert_or_assign(form, *found.usage);
  std::vector<PortMix> mixes;
  for (const auto& [mix, result] : finder_.measured()) {
    const bool has =
        std::ranges::any_of(mix, [form](const auto& part) { return part.first == form; });
    if (!has) continue;
    PortMix& made = mixes.emplace_back(PortMix{MixText(mix), result.cycles, std::nullopt});
    if (std::ranges::all_of(mix, [&](const auto& part) { return usages.contains(part.first); })) {
      made.predicted = ports::MixTime(
          mix, [&](std::size_t part) -> const ports::Usage& { return usages.at(part); },
          finder_.map().dispatch);
    }
  }
  return mixes;
}

void PortRows::AddTo(std::span<const PortTarget> targets, bool explain) {
  std::vector<std::size_t> forms;
  for (const PortTarget& target : targets) forms.push_back(finder_.Add(*target.instruction));
  const std::vector<std::optional<ports::FormPorts>> found = finder_.Find(forms);
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (!found[i]) continue;
    InstructionRow& row = *targets[i].row;
    Describe(forms[i], *found[i], row);
    if (explain) row.port_finding->mixes = MixesOf(forms[i], *found[i]);
  }
}

}  // namespace cyclescope::library
