#include "assembler/listing.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "assembler/function_layout.h"
#include "assembler/listing_flow.h"
#include "assembler/listing_line.h"

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

// The line of a function's label, before another.
std::optional<std::size_t> LabelBefore(std::span<const ListingLine> lines, std::size_t line,
                                       std::string_view label) {
  for (std::size_t i = line; i-- > 0;) {
    if (lines[i].kind == LineKind::kLabel && lines[i].word == label) return i;
  }
  return std::nullopt;
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

std::vector<std::vector<int>> CodeOffsets(std::string_view text, Architecture architecture,
                                          Syntax syntax, std::span<const LoopLines> loops) {
  const std::vector<ListingLine> lines = ReadLines(text, RulesOf(architecture));
  std::map<std::pair<int, int>, std::size_t> instructions;  // by line and column
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].kind == LineKind::kInstruction)
      instructions.emplace(std::pair(lines[i].line, lines[i].column), i);
  }
  std::vector<CodeSpot> spots;
  std::vector<std::size_t> owners;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const auto place_of = [](const TextPlace& place) {
      return std::pair(place.line, place.column);
    };
    const auto first = std::ranges::find_if(loops[i].places, [&](const TextPlace& place) {
      return instructions.contains(place_of(place));
    });
    if (first == loops[i].places.end() || loops[i].function.empty()) continue;
    const std::size_t instruction = instructions.at(place_of(*first));
    const auto function = LabelBefore(lines, instruction, loops[i].function);
    if (!function) continue;
    spots.push_back({*function, instruction});
    owners.push_back(i);
  }
  auto found = PlacesInLine(lines, spots, architecture, syntax);
  std::vector<std::vector<int>> offsets(loops.size());
  for (std::size_t i = 0; i < owners.size(); ++i) offsets[owners[i]] = std::move(found[i]);
  return offsets;
}

}  // namespace cyclescope::assembler
