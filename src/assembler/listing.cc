#include "assembler/listing.h"

#include <fmt/core.h>

#include <algorithm>

#include "assembler/listing_line.h"
#include "assembler/listing_loops.h"

namespace cyclescope::assembler {
namespace {

void TakeCode(std::span<const ListingLine> lines, Region& region) {
  for (const ListingLine& line : lines) {
    if (line.kind != LineKind::kLabel && line.kind != LineKind::kInstruction) continue;
    region.text += std::string(line.text) + '\n';
    region.places.push_back({line.line, line.column});
  }
}

std::vector<Region> MarkedRegions(std::span<const ListingLine> lines) {
  std::vector<Region> regions;
  bool inside = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= lines.size(); ++i) {
    const bool ends = i == lines.size() || lines[i].kind == LineKind::kEnd;
    if (inside && (ends || lines[i].kind == LineKind::kBegin)) {
      const std::string_view name = lines[begin].name;
      Region& region = regions.emplace_back();
      region.name = name.empty() ? fmt::format("line {}", lines[begin].line) : std::string(name);
      TakeCode(lines.subspan(begin + 1, i - begin - 1), region);
      region.line = lines[begin].line;
      inside = false;
    }
    if (i < lines.size() && lines[i].kind == LineKind::kBegin) {
      begin = i;
      inside = true;
    }
  }
  return regions;
}

}  // namespace

std::optional<Listing> ReadListing(std::string_view text, Architecture architecture) {
  const Rules& rules = RulesOf(architecture);
  const std::vector<ListingLine> lines = ReadLines(text, rules);
  const auto has = [&lines](LineKind kind) {
    return std::ranges::find(lines, kind, &ListingLine::kind) != lines.end();
  };
  const bool marked = has(LineKind::kBegin);
  if (!marked && !has(LineKind::kDirective)) return std::nullopt;
  const bool intel = std::ranges::any_of(
      lines, [](const ListingLine& line) { return line.word == ".intel_syntax"; });
  return Listing{.regions = marked ? MarkedRegions(lines) : LoopsOf(lines, rules),
                 .att_syntax = rules.has_att_syntax && !intel};
}

}  // namespace cyclescope::assembler
