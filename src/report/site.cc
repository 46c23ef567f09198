#include "report/site.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "analysis/core_summary.h"
#include "analysis/core_unit.h"
#include "analysis/host_words.h"
#include "analysis/row_figures.h"
#include "base/try.h"
#include "document/json_text.h"
#include "document/json_writer.h"
#include "document/packed.h"
#include "report/html.h"
#include "report/ports_text.h"

namespace cyclescope {
namespace {

constexpr int kLatencyIsBound = 1;
constexpr int kThroughputIsBound = 2;
constexpr int kIsContended = 4;

std::string PagePath(std::size_t machine) { return fmt::format("machines/{}.html", machine + 1); }
std::string DataPath(std::size_t machine) { return fmt::format("data/machine-{}.js", machine + 1); }
std::string DetailsPath(std::size_t machine) {
  return fmt::format("data/details-{}.js", machine + 1);
}
std::string CorePath(std::size_t machine) { return fmt::format("data/core-{}.js", machine + 1); }
constexpr std::string_view kFormsPath = "data/forms.js";
constexpr std::string_view kLoopsPath = "data/loops.js";

// "neoverse-v1" of "results/neoverse-v1.json.gz".
std::string FileStem(const std::string& path) {
  std::filesystem::path name = std::filesystem::path(path).filename();
  if (name.extension() == ".gz") name.replace_extension();
  return name.stem().string();
}

// As many digits as a table shows.
std::string SiteNumber(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : "null";
}

// Letters only, whatever the results hold: nothing of theirs can become script.
std::string Script(std::string_view call, std::size_t machine, std::string_view json) {
  return fmt::format("{}({},\"{}\");\n", call, machine, Packed(json));
}

// "x1 → x0 4, x3 → x0 2": every pair, with its values where they matter.
std::string PairsText(const InstructionRow& row) {
  std::string text;
  for (const Latency& latency : row.latency) {
    const bool bound = IsUpperBound(latency);
    text += fmt::format("{}{} → {} {}{:.3g}{}", text.empty() ? "" : ", ", latency.from, latency.to,
                        bound ? "≤ " : "", ShownCycles(bound, latency.cycles),
                        latency.values.empty() ? "" : fmt::format(" ({})", latency.values));
  }
  return text;
}

struct CoreSize {
  std::string name;
  double value = 0;
  std::string unit;
  bool at_least = false;
};

// How the core is built: of each quantity the largest that was seen whole, since what fills a
// buffer decides what is seen of it.
std::vector<CoreSize> CoreSizes(const Document& document) {
  std::vector<CoreSize> sizes;
  const auto add = [&sizes](CoreSize size) {
    const auto known = std::ranges::find(sizes, size.name, &CoreSize::name);
    if (known == sizes.end()) {
      sizes.push_back(std::move(size));
    } else if (std::pair(known->at_least, -known->value) > std::pair(size.at_least, -size.value)) {
      *known = std::move(size);
    }
  };
  if (!document.anatomy) return sizes;
  for (const AnatomyRow& row : document.anatomy->rows) {
    if (row.part != AnatomyPart::kWindows || !row.value || row.contended) continue;
    add({row.name, row.at_least ? row.value->low : row.value->value, row.unit, row.at_least});
  }
  for (const AnatomyWidth& width : document.anatomy->widths) {
    const double per_cycle = width.at_least ? width.per_cycle.low : width.per_cycle.value;
    if (!width.contended) add({width.name, per_cycle, "per cycle", width.at_least});
  }
  return sizes;
}

std::string SizesJson(const Document& document) {
  std::string json;
  for (const CoreSize& size : CoreSizes(document)) {
    json += fmt::format("{}{{\"name\":{},\"value\":{:.4g},\"unit\":{},\"at_least\":{}}}",
                        json.empty() ? "" : ",", Dump(size.name), size.value, Dump(size.unit),
                        size.at_least);
  }
  return json;
}

// What a diagram of the core is drawn from, as a document of its own: without the curves and the
// code that are evidence, and without the matrices of large machines, of which it would say one
// number.
std::string CoreDocument(const Document& document) {
  constexpr std::size_t kMostCpus = 64;
  if (!document.anatomy && !document.port_map) return "";
  Document core;
  core.tool = document.tool;
  core.host = document.host;
  core.clock = document.clock;
  core.config = document.config;
  core.anatomy = document.anatomy;
  core.port_map = document.port_map;
  for (const CoreMatrix& cores : document.cores) {
    if (cores.cpus.size() > kMostCpus) continue;
    CoreMatrix& matrix = core.cores.emplace_back(cores);
    if (matrix.floating) matrix.floating->visits.clear();
  }
  for (const MemoryRow& row : document.memory) {
    MemoryRow& memory = core.memory.emplace_back(row);
    memory.curves.clear();
  }
  if (core.anatomy) {
    for (AnatomyRow& row : core.anatomy->rows) {
      row.curve.reset();
      row.code.clear();
    }
  }
  return ToJsonLine(core);
}

}  // namespace

Site::Figures Site::FiguresOf(const InstructionRow& row, const VendorTable* vendor) {
  Figures figures;
  figures.form = row.text;
  if (vendor != nullptr) figures.vendor = vendor->Of(row.text).value_or(VendorFigures{});
  figures.also = fmt::format("{}{}{}", row.known_as,
                             row.known_as.empty() || row.heading.empty() ? "" : " ", row.heading);
  if (const Latency* latency = ShownLatency(row)) {
    figures.latency = ShownCycles(IsUpperBound(*latency), latency->cycles);
    if (IsUpperBound(*latency)) figures.marks |= kLatencyIsBound;
  }
  if (row.throughput) {
    figures.throughput = ShownCycles(IsUpperBound(*row.throughput), row.throughput->cycles);
    if (IsUpperBound(*row.throughput)) figures.marks |= kThroughputIsBound;
  }
  if (IsContended(row)) figures.marks |= kIsContended;
  figures.isa = row.isa;
  figures.pairs = PairsText(row);
  figures.ports = PortUseText(row.ports);
  if (row.model) {
    figures.model_latency = row.model->latency;
    figures.model_throughput = row.model->throughput;
  }
  return figures;
}

const VendorTable* Site::VendorOf(const Machine& machine) const {
  const auto found = vendors_.find(machine.file);
  return found == vendors_.end() ? nullptr : &found->second;
}

std::string Site::MachineJson(const Document& document, const VendorTable* vendor,
                              bool has_core) const {
  const Host& host = document.host;
  const std::size_t place = machines_.size();
  std::optional<double> nearest;
  std::optional<double> farthest;
  std::optional<double> median;
  if (!document.cores.empty()) {
    if (const auto summary = Summarize(document.cores.front(), {})) {
      nearest = summary->least.value;
      farthest = summary->most.value;
      median = summary->median;
    }
  }
  const auto measured =
      std::ranges::count(document.instructions, Status::kMeasured, &InstructionRow::status);
  return fmt::format(
      "\"host\":{},\"cpu\":{},\"facts\":{},\"ghz\":{},\"forms\":{},\"nearest_ns\":{},"
      "\"farthest_ns\":{},\"median_ns\":{},\"started\":{},\"page\":{},\"data\":{},\"details\":{},"
      "\"core\":[{}],\"core_data\":{},\"vendor\":{}}}",
      Dump(host.name), Dump(CpuName(host)), Dump(MachineKind(host)),
      SiteNumber(MedianGhz(document.frequency)), measured, SiteNumber(nearest),
      SiteNumber(farthest), SiteNumber(median), Dump(document.config.started),
      Dump(PagePath(place)), Dump(DataPath(place)), Dump(DetailsPath(place)), SizesJson(document),
      Dump(has_core ? CorePath(place) : ""), Dump(vendor != nullptr ? vendor->source() : ""));
}

Result<SiteFile> Site::Add(const Document& document) {
  auto page = TRY(ToHtml(std::span(&document, 1)));
  Machine machine;
  machine.file = FileStem(document.source);
  machine.name = document.host.name;
  // Published results have no host's name, but a file's.
  if (machine.name.empty()) machine.name = machine.file;
  if (machine.name.empty()) machine.name = fmt::format("machine {}", machines_.size() + 1);
  machine.started = document.config.started;
  const VendorTable* vendor = VendorOf(machine);
  machine.core = CoreDocument(document);
  machine.json = MachineJson(document, vendor, !machine.core.empty());
  loops_.Add(document);
  for (const InstructionRow& row : document.instructions) {
    // What has no figure anywhere would be an empty row.
    if (Figures figures = FiguresOf(row, vendor); figures.latency || figures.throughput)
      machine.figures.push_back(std::move(figures));
  }
  machines_.push_back(std::move(machine));
  return SiteFile{PagePath(machines_.size() - 1), std::move(page)};
}

std::string Site::NameOf(const Machine& machine) const {
  const auto shared = [this, &machine](const std::string Machine::* part) {
    return std::ranges::count_if(machines_, [&](const Machine& other) {
      return other.name == machine.name && other.*part == machine.*part;
    });
  };
  if (std::ranges::count(machines_, machine.name, &Machine::name) == 1) return machine.name;
  if (!machine.file.empty() && shared(&Machine::file) == 1)
    return fmt::format("{} ({})", machine.name, machine.file);
  // "2026-11-16T06:30:12Z" to "2026-11-16 06:30:12".
  std::string started = machine.started.substr(0, machine.started.find_first_of(".Z+"));
  std::ranges::replace(started, 'T', ' ');
  if (!started.empty() && shared(&Machine::started) == 1)
    return fmt::format("{} ({})", machine.name, started);
  return fmt::format("{} ({})", machine.name, &machine - machines_.data() + 1);
}

SiteFile Site::ColumnFile(std::size_t machine, const Column& column) {
  std::string latency;
  std::string throughput;
  std::string marks;
  for (const Figures* figures : column) {
    const std::string_view comma = marks.empty() ? "" : ",";
    latency += fmt::format("{}{}", comma, SiteNumber(figures ? figures->latency : std::nullopt));
    throughput +=
        fmt::format("{}{}", comma, SiteNumber(figures ? figures->throughput : std::nullopt));
    marks += static_cast<char>('0' + (figures ? figures->marks : 0));
  }
  const std::string json = fmt::format("{{\"latency\":[{}],\"throughput\":[{}],\"marks\":\"{}\"}}",
                                       latency, throughput, marks);
  return {DataPath(machine), Script("cyclescopeColumn", machine, json)};
}

SiteFile Site::DetailsFile(std::size_t machine, const Column& column) {
  std::string json = "[";
  for (const Figures* figures : column) {
    if (json.size() > 1) json += ',';
    if (figures == nullptr) {
      json += "null";
      continue;
    }
    json += fmt::format("[{},{},{},{}", Dump(figures->pairs), Dump(figures->ports),
                        SiteNumber(figures->model_latency), SiteNumber(figures->model_throughput));
    const VendorFigures& vendor = figures->vendor;
    if (vendor.latency || vendor.throughput)
      json += fmt::format(",{},{}", SiteNumber(vendor.latency), SiteNumber(vendor.throughput));
    json += ']';
  }
  return {DetailsPath(machine), Script("cyclescopeDetails", machine, json + "]")};
}

std::vector<SiteFile> Site::Finish() const {
  // Neighbours in the alphabet are alike, which packs well. A form belongs to one extension on all
  // machines.
  struct Place {
    std::size_t place = 0;
    std::string_view isa;
  };
  std::map<std::string_view, Place> places;
  std::map<std::string_view, std::string_view> also_known;
  for (const Machine& machine : machines_) {
    for (const Figures& figures : machine.figures) {
      places.try_emplace(figures.form, Place{0, figures.isa});
      if (!figures.also.empty()) also_known.try_emplace(figures.form, figures.also);
    }
  }
  std::map<std::string_view, std::size_t> isas;
  for (const auto& [form, place] : places) isas.try_emplace(place.isa, isas.size());
  std::string forms;
  std::string isa_of_form;
  std::size_t next = 0;
  for (auto& [form, place] : places) {
    const std::string_view comma = next > 0 ? "," : "";
    forms += fmt::format("{}{}", comma, Dump(std::string(form)));
    isa_of_form += fmt::format("{}{}", comma, isas.at(place.isa));
    place.place = next++;
  }
  std::vector<std::string_view> isa_names(isas.size());
  for (const auto& [isa, place] : isas) isa_names[place] = isa;
  std::string isa_list;
  for (const std::string_view isa : isa_names)
    isa_list += fmt::format("{}{}", isa_list.empty() ? "" : ",", Dump(std::string(isa)));

  std::string data = "{\"machines\":[";
  for (std::size_t i = 0; i < machines_.size(); ++i)
    data += fmt::format("{}{{\"name\":{},{}", i == 0 ? "" : ",", Dump(NameOf(machines_[i])),
                        machines_[i].json);
  data +=
      fmt::format("],\"forms\":{},\"form_data\":{},\"loops\":{},\"loop_data\":{}}}", places.size(),
                  Dump(std::string(kFormsPath)), loops_.size(), Dump(std::string(kLoopsPath)));
  std::string also;
  for (const auto& [form, words] : also_known) {
    also += fmt::format("{}[{},{}]", also.empty() ? "" : ",", places.at(form).place,
                        Dump(std::string(words)));
  }
  std::vector<SiteFile> files = {{"index.html", PageWith(SiteTemplate(), data)}};
  files.push_back({std::string(kFormsPath),
                   Script("cyclescopeForms", 0,
                          fmt::format("{{\"forms\":[{}],\"isas\":[{}],\"isa_of_form\":[{}],"
                                      "\"also\":[{}]}}",
                                      forms, isa_list, isa_of_form, also))});
  if (loops_.size() > 0)
    files.push_back({std::string(kLoopsPath), Script("cyclescopeLoops", 0, loops_.Json())});
  for (std::size_t i = 0; i < machines_.size(); ++i) {
    Column column(places.size());
    for (const Figures& figures : machines_[i].figures) {
      // Of forms that read alike, as encodings of one instruction do, the first stands for all.
      const Figures*& entry = column[places.at(figures.form).place];
      if (entry == nullptr || (entry->ports.empty() && !figures.ports.empty())) entry = &figures;
    }
    files.push_back(ColumnFile(i, column));
    files.push_back(DetailsFile(i, column));
    if (!machines_[i].core.empty())
      files.push_back({CorePath(i), Script("cyclescopeCore", i, machines_[i].core)});
  }
  return files;
}

}  // namespace cyclescope
