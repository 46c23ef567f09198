// LoopsOf: the loops of a file, as regions.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "assembler/control_flow.h"
#include "assembler/listing_flow.h"

namespace cyclescope::assembler {
namespace {

// A part of a region's text.
struct Piece {
  std::string text;
  std::vector<TextPlace> places;

  void Add(std::string_view line, TextPlace place) {
    text += line;
    text += '\n';
    places.push_back(place);
  }
  void Add(const Piece& other) {
    text += other.text;
    places.insert(places.end(), other.places.begin(), other.places.end());
  }
};

// "a.c" of `.file 1 "a.c"` and of `.file 0 "/folder" "a.c" md5 ...`
std::string_view FileNameIn(std::string_view operands) {
  std::vector<std::string_view> quoted;
  for (std::size_t at = 0; (at = operands.find('"', at)) != std::string_view::npos;) {
    const std::size_t end = operands.find('"', at + 1);
    if (end == std::string_view::npos) break;
    quoted.push_back(operands.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  if (quoted.empty()) return {};
  std::string_view name = quoted.back();
  name.remove_prefix(name.rfind('/') + 1);
  return name;
}

// "callq	sqrt@PLT" as people write it.
std::string WithSingleSpaces(std::string_view text) {
  std::string spaced(text);
  std::ranges::replace(spaced, '\t', ' ');
  return spaced;
}

int NumberAt(std::string_view& text) {
  text = Trimmed(text);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc() ? number : -1;
}

// Writes the loops of a file as texts of their own.
class LoopTexts {
 public:
  LoopTexts(std::span<const ListingLine> lines, const Rules& rules)
      : lines_(lines), rules_(rules), flow_(lines) {}

  std::vector<Region> All() {
    std::vector<Region> regions;
    std::vector<bool> done(flow_.blocks().size());
    for (const std::size_t entry : flow_.entries()) AddLoops(entry, done, regions);
    // What only an unknown jump leads to.
    for (std::size_t i = 0; i < flow_.blocks().size(); ++i) {
      if (!done[i]) AddLoops(i, done, regions);
    }
    std::ranges::sort(regions, {}, &Region::line);
    NameThem(regions);
    return regions;
  }

 private:
  // Of the blocks that `entry` leads to and that were not looked at before. They get numbers of
  // their own: a file may have thousands of functions.
  void AddLoops(std::size_t entry, std::vector<bool>& done, std::vector<Region>& regions) {
    if (done[entry]) return;
    std::map<std::size_t, std::size_t> own;
    std::vector<std::size_t> blocks;
    std::vector<std::size_t> open = {entry};
    while (!open.empty()) {
      const std::size_t block = open.back();
      open.pop_back();
      if (done[block] || !own.emplace(block, blocks.size()).second) continue;
      blocks.push_back(block);
      open.insert(open.end(), flow_.After(block).begin(), flow_.After(block).end());
    }
    std::vector<std::vector<std::size_t>> next(blocks.size());
    for (std::size_t number = 0; number < blocks.size(); ++number) {
      done[blocks[number]] = true;
      for (const std::size_t follower : flow_.After(blocks[number])) {
        if (const auto found = own.find(follower); found != own.end())
          next[number].push_back(found->second);
      }
    }
    std::vector<FileLoop> loops;
    for (const NaturalLoop& loop : NaturalLoops(next, 0)) {
      FileLoop& added = loops.emplace_back(blocks[loop.header]);
      for (const std::size_t number : loop.body) added.body.push_back(blocks[number]);
      std::ranges::sort(added.body);
    }
    std::vector<Region> added;
    for (const FileLoop& loop : loops) AddLoop(loop, loops, entry, added);
    for (const Region& around : added) {
      for (Region& region : added) {
        if (std::ranges::find(around.avoided_loops, region.line) != around.avoided_loops.end())
          region.loop_around = around.line;
      }
    }
    std::ranges::move(added, std::back_inserter(regions));
  }

  // A loop, by the blocks of the file.
  struct FileLoop {
    std::size_t header = 0;
    std::vector<std::size_t> body;  // ascending

    bool Holds(std::size_t block) const { return std::ranges::binary_search(body, block); }
  };

  // The region of an innermost loop, or of one that does the work of those inside of it in another
  // way; none of other loops.
  void AddLoop(const FileLoop& loop, const std::vector<FileLoop>& loops, std::size_t entry,
               std::vector<Region>& regions) const {
    std::vector<const FileLoop*> inner;
    bool inside_loop = false;
    for (const FileLoop& other : loops) {
      if (other.header == loop.header) continue;
      if (loop.Holds(other.header)) inner.push_back(&other);
      inside_loop |= other.Holds(loop.header);
    }
    const std::vector<std::size_t> body = inner.empty() ? loop.body : WaysAround(loop, inner);
    if (body.empty()) return;
    std::vector<std::size_t> without_calls = WithoutCalls(loop.header, body);
    Region region = RegionOf(loop.header, without_calls, entry);
    for (const std::size_t block : body) {
      if (!std::ranges::binary_search(without_calls, block)) AddCalls(block, region.avoided_calls);
    }
    for (const FileLoop* each : inner) region.avoided_loops.push_back(LineOf(each->header));
    std::ranges::sort(region.avoided_loops);
    region.inside_loop = inside_loop;
    regions.push_back(std::move(region));
  }

  // The blocks on the ways through a loop that go around those inside of it, where they do the same
  // work: compilers write a loop with a known number of trips as straight vector code, beside the
  // plain loop for arrays that overlap. Empty where what only these ways have is not more than such
  // a loop: then they just skip it.
  std::vector<std::size_t> WaysAround(const FileLoop& loop,
                                      const std::vector<const FileLoop*>& inner) const {
    std::vector<std::size_t> allowed = loop.body;
    std::erase_if(allowed, [&inner](std::size_t block) {
      return std::ranges::any_of(inner,
                                 [block](const FileLoop* each) { return each->Holds(block); });
    });
    std::vector<std::size_t> around = OnWaysRound(loop.header, allowed);
    const std::set<std::size_t> shared = OnTripsThrough(loop, inner);
    std::size_t own = 0;
    for (const std::size_t block : around) {
      if (!shared.contains(block)) own += flow_.blocks()[block].instructions.size();
    }
    std::size_t largest = 0;
    for (const FileLoop* each : inner) {
      std::size_t size = 0;
      for (const std::size_t block : each->body) size += flow_.blocks()[block].instructions.size();
      largest = std::max(largest, size);
    }
    return own > largest ? around : std::vector<std::size_t>();
  }

  // The blocks of a loop that a trip passes which enters a loop inside of it, before or after that.
  std::set<std::size_t> OnTripsThrough(const FileLoop& loop,
                                       const std::vector<const FileLoop*>& inner) const {
    std::map<std::size_t, std::vector<std::size_t>> before, after;
    for (const std::size_t block : loop.body) {
      for (const std::size_t follower : flow_.After(block)) {
        if (!loop.Holds(follower) || follower == loop.header) continue;
        after[block].push_back(follower);
        before[follower].push_back(block);
      }
    }
    std::set<std::size_t> passed;
    for (const auto* next : {&before, &after}) {
      std::set<std::size_t> reached;
      std::vector<std::size_t> open;
      for (const FileLoop* each : inner) open.push_back(each->header);
      while (!open.empty()) {
        const std::size_t block = open.back();
        open.pop_back();
        if (!reached.insert(block).second) continue;
        if (const auto found = next->find(block); found != next->end())
          open.insert(open.end(), found->second.begin(), found->second.end());
      }
      passed.insert(reached.begin(), reached.end());
    }
    return passed;
  }

  // Where the text of a loop begins in the file.
  int LineOf(std::size_t header) const {
    const CodeBlock& begin = flow_.blocks()[header];
    return lines_[begin.labels.empty() ? begin.instructions.front() : begin.labels[0]].line;
  }

  bool Calls(std::size_t block) const {
    return std::ranges::any_of(flow_.blocks()[block].instructions, [this](std::size_t line) {
      return lines_[line].flow == Flow::kCall;
    });
  }

  void AddCalls(std::size_t block, std::vector<std::string>& calls) const {
    for (const std::size_t line : flow_.blocks()[block].instructions) {
      if (lines_[line].flow == Flow::kCall) calls.emplace_back(WithSingleSpaces(lines_[line].text));
    }
  }

  // The blocks that a way round from the header passes: all that can be reached without leaving
  // `allowed` (ascending), and that lead back to it.
  std::vector<std::size_t> OnWaysRound(std::size_t header,
                                       const std::vector<std::size_t>& allowed) const {
    std::set<std::size_t> reached;
    std::map<std::size_t, std::vector<std::size_t>> before;
    std::vector<std::size_t> open = {header};
    while (!open.empty()) {
      const std::size_t block = open.back();
      open.pop_back();
      if (!reached.insert(block).second) continue;
      for (const std::size_t follower : flow_.After(block)) {
        if (!std::ranges::binary_search(allowed, follower)) continue;
        before[follower].push_back(block);
        open.push_back(follower);
      }
    }
    std::set<std::size_t> leads_back;
    open = before[header];
    while (!open.empty()) {
      const std::size_t block = open.back();
      open.pop_back();
      if (!leads_back.insert(block).second || block == header) continue;
      open.insert(open.end(), before[block].begin(), before[block].end());
    }
    return {leads_back.begin(), leads_back.end()};
  }

  // Where some ways through a loop call a function and others do not, those that do not: compilers
  // call `sqrt` for numbers below zero alone, and most others for what is rare.
  std::vector<std::size_t> WithoutCalls(std::size_t header,
                                        const std::vector<std::size_t>& body) const {
    std::vector<std::size_t> allowed = body;
    std::erase_if(allowed, [this](std::size_t block) { return Calls(block); });
    if (allowed.size() == body.size() || !std::ranges::binary_search(allowed, header)) return body;
    std::vector<std::size_t> kept = OnWaysRound(header, allowed);
    return kept.empty() ? body : kept;
  }

  // True if every way round passes the block that is first in the file: a trip may begin with it as
  // well as with the header, and the code needs no jump to that.
  bool MayBeginInFront(std::size_t header, const std::vector<std::size_t>& body) const {
    const std::vector<std::size_t> others(body.begin() + 1, body.end());
    return body.front() == header || OnWaysRound(header, others).empty();
  }

  // Labels that something in the loop leads to or computes with, as AArch64's `adr x1, .Lrtx4`.
  std::set<std::string_view> LabelsOf(const std::vector<std::size_t>& body) const {
    std::set<std::string_view> labels;
    for (const std::size_t number : body) {
      const CodeBlock& block = flow_.blocks()[number];
      const std::size_t last = block.instructions.back();
      if (const auto target = lines_[last].Target(); !target.empty()) labels.insert(target);
      if (lines_[last].flow == Flow::kIndirect) {
        for (const std::size_t to : flow_.TargetsOfTable(last)) {
          if (to != kNoBlock) labels.insert(LabelOf(to));
        }
      }
      for (const std::size_t line : block.instructions) {
        for (const std::string_view label : LabelsIn(lines_[line].operands)) labels.insert(label);
      }
    }
    return labels;
  }

  // The lines that the text of a loop consists of: those labels, and instructions.
  Region RegionOf(std::size_t header, const std::vector<std::size_t>& body,
                  std::size_t entry) const {
    const auto in_loop = [&body](std::size_t block) {
      return std::ranges::binary_search(body, block);
    };
    const std::set<std::string_view> wanted = LabelsOf(body);
    std::set<std::size_t> made;  // blocks that need a label of ours
    const auto name = [&](std::size_t block) {
      made.insert(block);
      return fmt::format(".Lblock{}", block);
    };
    std::vector<std::pair<std::size_t, Piece>> pieces;  // by block
    std::vector<JumpTable> tables;
    std::size_t instructions = 0;  // so far
    const auto jump_to = [&](std::string_view label) {
      ++instructions;
      return fmt::format("{}\t{}", rules_.jump, label);
    };
    Piece whole;
    if (!MayBeginInFront(header, body)) whole.Add(jump_to(name(header)), {});
    for (std::size_t i = 0; i < body.size(); ++i) {
      const CodeBlock& block = flow_.blocks()[body[i]];
      Piece piece;
      for (const std::size_t label : block.labels) {
        const std::string_view word = lines_[label].word;
        const bool numbered = word.find_first_not_of("0123456789") == std::string_view::npos;
        if (!wanted.contains(word) && !numbered) continue;
        piece.Add(fmt::format("{}:", word), PlaceOf(label));
      }
      for (const std::size_t line : block.instructions) piece.Add(lines_[line].text, PlaceOf(line));
      instructions += block.instructions.size();
      if (lines_[block.instructions.back()].flow == Flow::kIndirect) {
        JumpTable table{.jump = instructions - 1, .targets = {}};
        for (const std::size_t target : flow_.TargetsOfTable(block.instructions.back()))
          table.targets.emplace_back(target != kNoBlock && in_loop(target) ? LabelOf(target) : "");
        if (!table.targets.empty()) tables.push_back(std::move(table));
      }
      const bool last = i + 1 == body.size();
      const std::size_t behind = block.falls_to;
      if (behind != kNoBlock && in_loop(behind)) {
        if (last || body[i + 1] != behind) piece.Add(jump_to(name(behind)), {});
      } else if (behind != kNoBlock && !last) {
        piece.Add(jump_to(".Lleave"), {});
      }
      pieces.emplace_back(body[i], std::move(piece));
    }
    for (const auto& [block, piece] : pieces) {
      if (made.contains(block)) whole.Add(name(block) + ':', {});
      whole.Add(piece);
    }
    const CodeBlock& begin = flow_.blocks()[header];
    return {.name = {},
            .text = std::move(whole.text),
            .tables = std::move(tables),
            .avoided_calls = {},
            .avoided_loops = {},
            .function = std::string(flow_.FunctionAt(entry)),
            .line = LineOf(header),
            .places = std::move(whole.places),
            .source = SourceOf(begin)};
  }

  TextPlace PlaceOf(std::size_t line) const { return {lines_[line].line, lines_[line].column}; }

  // That a table names it by.
  std::string_view LabelOf(std::size_t block) const {
    return lines_[flow_.blocks()[block].labels.back()].word;
  }

  // What the last `.loc` up to the block's first instruction says.
  std::optional<SourcePlace> SourceOf(const CodeBlock& block) const {
    for (std::size_t i = block.instructions.front(); i-- > 0;) {
      if (flow_.BeginsFunction(i)) return std::nullopt;
      if (lines_[i].word != ".loc") continue;
      std::string_view operands = lines_[i].operands;
      const int file = NumberAt(operands);
      const int line = NumberAt(operands);
      const std::string_view name = FileOf(file);
      if (line <= 0 || name.empty()) return std::nullopt;
      return SourcePlace{std::string(name), line};
    }
    return std::nullopt;
  }

  std::string_view FileOf(int number) const {
    for (const ListingLine& line : lines_) {
      if (line.word != ".file") continue;
      std::string_view operands = line.operands;
      if (NumberAt(operands) == number) return FileNameIn(operands);
    }
    return {};
  }

  // By function and place; where the source's line does not tell two of them apart, by the line of
  // the text too.
  static void NameThem(std::vector<Region>& regions) {
    std::map<std::string, int> count;
    const auto place = [](const Region& region) {
      return region.source ? fmt::format("{}:{}", region.source->file, region.source->line)
                           : fmt::format("line {}", region.line);
    };
    for (const Region& region : regions) ++count[region.function + ' ' + place(region)];
    for (Region& region : regions) {
      std::string where = place(region);
      if (count[region.function + ' ' + where] > 1) where += fmt::format(", line {}", region.line);
      region.name =
          region.function.empty() ? where : fmt::format("{} ({})", region.function, where);
    }
  }

  std::span<const ListingLine> lines_;
  const Rules& rules_;
  FileFlow flow_;
};

}  // namespace

std::vector<Region> LoopsOf(std::span<const ListingLine> lines, const Rules& rules) {
  return LoopTexts(lines, rules).All();
}

}  // namespace cyclescope::assembler
