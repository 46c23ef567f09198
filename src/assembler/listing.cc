#include "assembler/listing.h"

#include <fmt/core.h>

#include <algorithm>

#include "assembler/function_layout.h"
#include "assembler/listing_line.h"
#include "assembler/listing_loops.h"

namespace cyclescope::assembler {
namespace {

std::string TextOf(std::span<const ListingLine> lines) {
  std::string text;
  for (const ListingLine& line : lines) {
    if (line.kind == LineKind::kLabel || line.kind == LineKind::kInstruction)
      text += std::string(line.text) + '\n';
  }
  return text;
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
      region.name = name.empty() ? fmt::format("line {}", begin + 1) : std::string(name);
      region.text = TextOf(lines.subspan(begin + 1, i - begin - 1));
      region.line = static_cast<int>(begin + 1);
      for (std::size_t line = begin + 1; line < i; ++line)
        region.lines.push_back(static_cast<int>(line + 1));
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

std::vector<std::vector<int>> PlacesOfLoops(std::string_view text, Architecture architecture,
                                            Syntax syntax, std::span<const LoopLines> loops) {
  const std::vector<ListingLine> lines = ReadLines(text, RulesOf(architecture));
  std::vector<CodeSpot> spots;
  std::vector<std::size_t> owners;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    const auto first = std::ranges::find_if(loops[i].lines, [&lines](int line) {
      return lines.at(static_cast<std::size_t>(line - 1)).kind == LineKind::kInstruction;
    });
    if (first == loops[i].lines.end() || loops[i].function.empty()) continue;
    const auto instruction = static_cast<std::size_t>(*first - 1);
    const auto function = LabelBefore(lines, instruction, loops[i].function);
    if (!function) continue;
    spots.push_back({*function, instruction});
    owners.push_back(i);
  }
  auto found = PlacesInLine(lines, spots, architecture, syntax);
  std::vector<std::vector<int>> places(loops.size());
  for (std::size_t i = 0; i < owners.size(); ++i) places[owners[i]] = std::move(found[i]);
  return places;
}

}  // namespace cyclescope::assembler
