#include "assembler/listing_loops.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "assembler/control_flow.h"

namespace cyclescope::assembler {
namespace {

constexpr std::size_t kNoBlock = static_cast<std::size_t>(-1);

// Instructions that are executed one after the other, from the first to the last.
struct CodeBlock {
  std::vector<std::size_t> labels;        // lines
  std::vector<std::size_t> instructions;  // lines
  std::size_t falls_to = kNoBlock;  // the block behind it, if the last instruction leads there
};

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

// Compilers' own labels are no functions: .L3, .LBB0_2, and those of numbers.
bool IsLocalLabel(std::string_view label) {
  return label.starts_with('.') || label.find_first_not_of("0123456789") == std::string_view::npos;
}

// A part of a function that its compiler has put elsewhere: it goes on there.
bool IsColdPart(std::string_view label) { return label.find(".cold") != std::string_view::npos; }

std::vector<std::string_view> LabelsIn(std::string_view text) {
  std::vector<std::string_view> labels;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '.' || (i > 0 && IsNameCharacter(text[i - 1]))) continue;
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(i);
    const auto end = std::find_if_not(begin, text.end(), IsNameCharacter);
    labels.emplace_back(begin, end);
  }
  return labels;
}

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

int NumberAt(std::string_view& text) {
  text = Strip(text);
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc() ? number : -1;
}

// The control flow of a whole file.
class FileFlow {
 public:
  FileFlow(std::span<const ListingLine> lines, const Rules& rules) : lines_(lines), rules_(rules) {
    FindFunctions();
    MakeBlocks();
    LinkBlocks();
  }

  std::vector<Region> Loops() {
    std::vector<Region> regions;
    std::vector<bool> done(blocks_.size());
    for (const std::size_t entry : entries_) AddLoops(entry, done, regions);
    // What only an unknown jump leads to.
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (!done[i]) AddLoops(i, done, regions);
    }
    std::ranges::sort(regions, {}, &Region::line);
    NameThem(regions);
    return regions;
  }

 private:
  void FindFunctions() {
    for (const ListingLine& line : lines_) {
      if (line.kind != LineKind::kDirective || line.word != ".type") continue;
      const std::size_t comma = line.operands.find(',');
      if (comma == std::string_view::npos) continue;
      const std::string_view kind = Strip(line.operands.substr(comma + 1));
      if (kind.ends_with("function")) functions_.insert(Strip(line.operands.substr(0, comma)));
    }
  }

  bool IsFunction(std::string_view label) const {
    if (IsColdPart(label)) return false;
    return functions_.empty() ? !IsLocalLabel(label) : functions_.contains(label);
  }

  void MakeBlocks() {
    std::map<std::string_view, std::size_t> open;  // the block that each section may go on from
    std::vector<std::string_view> sections = {".text"};
    std::string_view before = ".text";
    std::size_t current = kNoBlock;
    std::vector<std::size_t> labels;  // that stand before what comes next
    bool in_data = false;             // behind those labels
    // Labels behind a jump through a table, which stands in another section: the code goes on
    // there. AArch64's entries are distances from such a label.
    std::map<std::string_view, std::vector<std::size_t>> waiting;
    bool behind_indirect = false;
    const auto change = [&](std::string_view to) {
      if (std::exchange(behind_indirect, false)) waiting[sections.back()] = labels;
      before = std::exchange(sections.back(), to);
      current = kNoBlock;
      labels = std::exchange(waiting[to], {});
      in_data = false;
    };
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const ListingLine& line = lines_[i];
      if (line.kind == LineKind::kLabel) {
        // A label behind data begins a table of its own.
        if (std::exchange(in_data, false)) labels.clear();
        labels.push_back(i);
        current = kNoBlock;
      } else if (line.kind == LineKind::kDirective) {
        const std::string_view name =
            Strip(line.operands.substr(0, std::min(line.operands.find(','), line.operands.size())));
        if (line.word == ".text" || line.word == ".data" || line.word == ".bss") {
          change(line.word);
        } else if (line.word == ".section") {
          change(name);
        } else if (line.word == ".pushsection") {
          sections.push_back(sections.back());
          change(name);
        } else if (line.word == ".popsection" && sections.size() > 1) {
          sections.pop_back();
          change(sections.back());
        } else if (line.word == ".previous") {
          change(before);
        } else if (!labels.empty() && !sections.back().starts_with(".debug")) {
          in_data |= ReadTable(line, labels);
        }
      } else if (line.kind == LineKind::kInstruction) {
        if (current == kNoBlock) {
          current = blocks_.size();
          CodeBlock& block = blocks_.emplace_back();
          block.labels = std::exchange(labels, {});
          const auto last = open.find(sections.back());
          if (last != open.end()) blocks_[last->second].falls_to = current;
          for (const std::size_t label : block.labels) AddLabel(label, current);
        }
        blocks_[current].instructions.push_back(i);
        behind_indirect = line.flow == Flow::kIndirect;
        if (line.flow == Flow::kOn || line.flow == Flow::kCall) {
          open[sections.back()] = current;
          continue;
        }
        if (line.flow == Flow::kConditional)
          open[sections.back()] = current;
        else
          open.erase(sections.back());
        current = kNoBlock;
      }
    }
  }

  void AddLabel(std::size_t line, std::size_t block) {
    const std::string_view label = lines_[line].word;
    labels_[label] = block;
    if (label.find_first_not_of("0123456789") == std::string_view::npos)
      numbers_.insert({{label, line}, block});
    if (IsFunction(label)) {
      entries_.push_back(block);
      is_entry_.insert(block);
    }
  }

  // Labels of code among data: where a jump through a table may lead.
  // False where the line has no data.
  bool ReadTable(const ListingLine& line, const std::vector<std::size_t>& labels) {
    constexpr auto kData =
        std::to_array<std::string_view>({".quad", ".long", ".word", ".int", ".byte", ".hword",
                                         ".short", ".xword", ".2byte", ".4byte", ".8byte"});
    if (std::ranges::find(kData, line.word) == kData.end()) return false;
    // Of an entry that is a difference, the first label is where it leads: `.L6-.L4`,
    // `(.LBB0_6-.LBB0_2)>>2`.
    for (std::string_view rest = line.operands; !rest.empty();) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      const std::vector<std::string_view> named = LabelsIn(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (named.empty()) continue;
      for (const std::size_t label : labels) tables_[lines_[label].word].push_back(named.front());
    }
    return true;
  }

  std::size_t BlockOf(std::string_view label, std::size_t from_line) const {
    const bool numbered =
        label.size() > 1 && (label.ends_with('b') || label.ends_with('f')) &&
        label.substr(0, label.size() - 1).find_first_not_of("0123456789") == std::string_view::npos;
    if (!numbered) {
      const auto found = labels_.find(label);
      return found == labels_.end() ? kNoBlock : found->second;
    }
    const std::string_view number = label.substr(0, label.size() - 1);
    auto found = numbers_.upper_bound({number, from_line});
    if (label.ends_with('b')) {
      if (found == numbers_.begin()) return kNoBlock;
      --found;
    }
    return found != numbers_.end() && found->first.first == number ? found->second : kNoBlock;
  }

  // The table that an indirect jump goes through: that which was named last before it. By entry;
  // kNoBlock where that leads elsewhere.
  std::vector<std::size_t> TargetsOfTable(std::size_t line) const {
    std::vector<std::size_t> targets;
    for (std::size_t i = line + 1; i-- > 0 && targets.empty();) {
      if (lines_[i].kind != LineKind::kInstruction) {
        if (lines_[i].kind == LineKind::kLabel && IsFunction(lines_[i].word)) break;
        continue;
      }
      for (const std::string_view label : LabelsIn(lines_[i].operands)) {
        const auto table = tables_.find(label);
        if (table == tables_.end()) continue;
        for (const std::string_view target : table->second)
          targets.push_back(BlockOf(target, line));
        break;
      }
    }
    // Data that are no table of code lead nowhere.
    if (std::ranges::all_of(targets, [](std::size_t block) { return block == kNoBlock; }))
      targets.clear();
    return targets;
  }

  void LinkBlocks() {
    next_.resize(blocks_.size());
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const std::size_t last = blocks_[i].instructions.back();
      std::vector<std::size_t> followers;
      if (const std::string_view target = lines_[last].Target(); !target.empty()) {
        const std::size_t block = BlockOf(target, last);
        // A jump to another function's beginning is a call that does not come back.
        if (block != kNoBlock && (!is_entry_.contains(block) || block == EntryBefore(last)))
          followers.push_back(block);
      }
      if (lines_[last].flow == Flow::kIndirect) {
        followers = TargetsOfTable(last);
        std::erase(followers, kNoBlock);
      }
      if (blocks_[i].falls_to != kNoBlock && !is_entry_.contains(blocks_[i].falls_to))
        followers.push_back(blocks_[i].falls_to);
      std::ranges::sort(followers);
      followers.erase(std::ranges::unique(followers).begin(), followers.end());
      next_[i] = std::move(followers);
    }
  }

  std::size_t EntryBefore(std::size_t line) const {
    for (std::size_t i = line + 1; i-- > 0;) {
      if (lines_[i].kind == LineKind::kLabel && IsFunction(lines_[i].word))
        return BlockOf(lines_[i].word, i);
    }
    return kNoBlock;
  }

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
      open.insert(open.end(), next_[block].begin(), next_[block].end());
    }
    std::vector<std::vector<std::size_t>> next(blocks.size());
    for (std::size_t number = 0; number < blocks.size(); ++number) {
      done[blocks[number]] = true;
      for (const std::size_t follower : next_[blocks[number]]) {
        if (const auto found = own.find(follower); found != own.end())
          next[number].push_back(found->second);
      }
    }
    for (const NaturalLoop& loop : InnermostLoops(next, 0)) {
      std::vector<std::size_t> body;
      for (const std::size_t number : loop.body) body.push_back(blocks[number]);
      std::ranges::sort(body);
      regions.push_back(RegionOf(blocks[loop.header], body, entry));
    }
  }

  // The lines that the text of a loop consists of: labels that something in it leads to, and
  // instructions.
  Region RegionOf(std::size_t header, const std::vector<std::size_t>& body,
                  std::size_t entry) const {
    const auto in_loop = [&body](std::size_t block) {
      return std::ranges::binary_search(body, block);
    };
    std::set<std::size_t> made;  // blocks that need a label of ours
    std::set<std::string_view> wanted;
    for (const std::size_t block : body) {
      const std::string_view target = lines_[blocks_[block].instructions.back()].Target();
      if (!target.empty()) wanted.insert(target);
      if (lines_[blocks_[block].instructions.back()].flow == Flow::kIndirect) {
        for (const std::size_t to : TargetsOfTable(blocks_[block].instructions.back())) {
          if (to != kNoBlock) wanted.insert(LabelOf(to));
        }
      }
      // Places in the code that instructions compute with: AArch64's `adr x1, .Lrtx4`.
      for (const std::size_t line : blocks_[block].instructions) {
        for (const std::string_view label : LabelsIn(lines_[line].operands)) wanted.insert(label);
      }
    }
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
    if (body.front() != header) whole.Add(jump_to(name(header)), {});
    for (std::size_t i = 0; i < body.size(); ++i) {
      const CodeBlock& block = blocks_[body[i]];
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
        for (const std::size_t target : TargetsOfTable(block.instructions.back()))
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
    const CodeBlock& begin = blocks_[header];
    const std::size_t line = begin.labels.empty() ? begin.instructions.front() : begin.labels[0];
    return {.name = {},
            .text = std::move(whole.text),
            .tables = std::move(tables),
            .function = std::string(FunctionAt(entry)),
            .line = lines_[line].line,
            .places = std::move(whole.places),
            .source = SourceOf(begin)};
  }

  TextPlace PlaceOf(std::size_t line) const { return {lines_[line].line, lines_[line].column}; }

  // That a table names it by.
  std::string_view LabelOf(std::size_t block) const {
    return lines_[blocks_[block].labels.back()].word;
  }

  std::string_view FunctionAt(std::size_t entry) const {
    for (const std::size_t label : blocks_[entry].labels) {
      if (!IsLocalLabel(lines_[label].word)) return lines_[label].word;
    }
    // Code that nothing known leads to belongs to what stands before it.
    for (std::size_t i = blocks_[entry].instructions.front(); i-- > 0;) {
      if (lines_[i].kind == LineKind::kLabel && IsFunction(lines_[i].word)) return lines_[i].word;
    }
    return {};
  }

  // What the last `.loc` up to the block's first instruction says.
  std::optional<SourcePlace> SourceOf(const CodeBlock& block) const {
    for (std::size_t i = block.instructions.front(); i-- > 0;) {
      if (lines_[i].kind == LineKind::kLabel && IsFunction(lines_[i].word)) return std::nullopt;
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
  std::set<std::string_view> functions_;
  std::vector<CodeBlock> blocks_;
  std::vector<std::vector<std::size_t>> next_;
  std::map<std::string_view, std::size_t> labels_;
  std::map<std::pair<std::string_view, std::size_t>, std::size_t> numbers_;
  std::map<std::string_view, std::vector<std::string_view>> tables_;
  std::vector<std::size_t> entries_;  // blocks with which functions begin
  std::set<std::size_t> is_entry_;
};

}  // namespace

std::vector<Region> LoopsOf(std::span<const ListingLine> lines, const Rules& rules) {
  return FileFlow(lines, rules).Loops();
}

}  // namespace cyclescope::assembler
