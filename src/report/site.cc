#include "report/site.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <span>
#include <string_view>

#include "analysis/core_summary.h"
#include "analysis/core_unit.h"
#include "analysis/host_words.h"
#include "analysis/row_figures.h"
#include "document/json_text.h"
#include "document/packed.h"
#include "report/html.h"
#include "report/html_template.h"
#include "report/machine_text.h"

namespace cyclescope {
namespace {

constexpr int kLatencyIsBound = 1;
constexpr int kThroughputIsBound = 2;
constexpr int kIsContended = 4;

std::string PagePath(std::size_t machine) { return fmt::format("machines/{}.html", machine + 1); }
std::string DataPath(std::size_t machine) { return fmt::format("data/machine-{}.js", machine + 1); }

// As many digits as a table shows.
std::string SiteNumber(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : "null";
}

}  // namespace

Site::Figures Site::FiguresOf(const InstructionRow& row) {
  Figures figures;
  figures.form = row.text;
  if (const Latency* latency = ShownLatency(row)) {
    figures.latency = ShownCycles(IsUpperBound(*latency), latency->cycles);
    if (IsUpperBound(*latency)) figures.marks |= kLatencyIsBound;
  }
  if (row.throughput) {
    figures.throughput = ShownCycles(IsUpperBound(*row.throughput), row.throughput->cycles);
    if (IsUpperBound(*row.throughput)) figures.marks |= kThroughputIsBound;
  }
  if (IsContended(row)) figures.marks |= kIsContended;
  return figures;
}

std::string Site::MachineJson(const Document& document) const {
  const Host& host = document.host;
  const std::size_t place = machines_.size();
  std::optional<double> nearest;
  std::optional<double> farthest;
  if (!document.cores.empty()) {
    if (const auto summary = Summarize(document.cores.front(), {})) {
      nearest = summary->least.value;
      farthest = summary->most.value;
    }
  }
  const auto measured =
      std::ranges::count(document.instructions, Status::kMeasured, &InstructionRow::status);
  return fmt::format(
      "\"host\":{},\"cpu\":{},\"facts\":{},\"ghz\":{},\"forms\":{},\"nearest_ns\":{},"
      "\"farthest_ns\":{},\"started\":{},\"page\":{},\"data\":{}}}",
      Dump(host.name), Dump(CpuName(host)), Dump(MachineKind(host)),
      SiteNumber(MedianGhz(document.frequency)), measured, SiteNumber(nearest),
      SiteNumber(farthest), Dump(document.config.started), Dump(PagePath(place)),
      Dump(DataPath(place)));
}

Result<SiteFile> Site::Add(const Document& document) {
  auto page = ToHtml(std::span(&document, 1));
  if (!page) return std::unexpected(page.error());
  Machine machine;
  machine.name = document.host.name.empty() ? fmt::format("machine {}", machines_.size() + 1)
                                            : document.host.name;
  machine.file = std::filesystem::path(document.source).stem().string();
  machine.started = document.config.started;
  machine.json = MachineJson(document);
  for (const InstructionRow& row : document.instructions) {
    // What has no figure anywhere would be an empty row.
    if (Figures figures = FiguresOf(row); figures.latency || figures.throughput)
      machine.figures.push_back(std::move(figures));
  }
  machines_.push_back(std::move(machine));
  return SiteFile{PagePath(machines_.size() - 1), std::move(*page)};
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

std::vector<SiteFile> Site::Finish() const {
  // Neighbours in the alphabet are alike, which packs well.
  std::map<std::string_view, std::size_t> places;
  for (const Machine& machine : machines_) {
    for (const Figures& figures : machine.figures) places.try_emplace(figures.form, 0);
  }
  std::string data = "{\"machines\":[";
  for (std::size_t i = 0; i < machines_.size(); ++i)
    data += fmt::format("{}{{\"name\":{},{}", i == 0 ? "" : ",", Dump(NameOf(machines_[i])),
                        machines_[i].json);
  data += "],\"forms\":[";
  std::size_t next = 0;
  for (auto& [form, place] : places) {
    if (next > 0) data += ',';
    data += Dump(std::string(form));
    place = next++;
  }
  data += "]}";
  std::vector<SiteFile> files = {{"index.html", PageWith(SiteTemplate(), data)}};

  for (std::size_t i = 0; i < machines_.size(); ++i) {
    std::vector<const Figures*> column(places.size());
    for (const Figures& figures : machines_[i].figures) {
      // Of forms that read alike, as encodings of one instruction do, the first stands for all.
      const Figures*& entry = column[places.at(figures.form)];
      if (entry == nullptr) entry = &figures;
    }
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
    const std::string json = fmt::format(
        "{{\"latency\":[{}],\"throughput\":[{}],\"marks\":\"{}\"}}", latency, throughput, marks);
    // Letters only, whatever the results hold: nothing of theirs can become script.
    files.push_back({DataPath(i), fmt::format("cyclescopeColumn({},\"{}\");\n", i, Packed(json))});
  }
  return files;
}

}  // namespace cyclescope
