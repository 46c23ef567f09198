#include "assembler/listing_flow.h"

#include <algorithm>
#include <array>

namespace cyclescope::assembler {
namespace {

// Compilers' own labels are no functions: .L3, .LBB0_2, and those of numbers.
bool IsLocalLabel(std::string_view label) {
  return label.starts_with('.') || label.find_first_not_of("0123456789") == std::string_view::npos;
}

// A part of a function that its compiler has put elsewhere: it goes on there.
bool IsColdPart(std::string_view label) { return label.find(".cold") != std::string_view::npos; }

}  // namespace

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

FileFlow::FileFlow(std::span<const ListingLine> lines) : lines_(lines) {
  FindFunctions();
  MakeBlocks();
  LinkBlocks();
}

void FileFlow::FindFunctions() {
  for (const ListingLine& line : lines_) {
    if (line.kind != LineKind::kDirective || line.word != ".type") continue;
    const std::size_t comma = line.operands.find(',');
    if (comma == std::string_view::npos) continue;
    const std::string_view kind = Trimmed(line.operands.substr(comma + 1));
    if (kind.ends_with("function")) functions_.insert(Trimmed(line.operands.substr(0, comma)));
  }
}

bool FileFlow::IsFunction(std::string_view label) const {
  if (IsColdPart(label)) return false;
  return functions_.empty() ? !IsLocalLabel(label) : functions_.contains(label);
}

void FileFlow::MakeBlocks() {
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
          Trimmed(line.operands.substr(0, std::min(line.operands.find(','), line.operands.size())));
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

void FileFlow::AddLabel(std::size_t line, std::size_t block) {
  const std::string_view label = lines_[line].word;
  labels_[label] = block;
  if (label.find_first_not_of("0123456789") == std::string_view::npos)
    numbers_.insert({{label, line}, block});
  if (IsFunction(label)) {
    entries_.push_back(block);
    is_entry_.insert(block);
  }
}

bool FileFlow::ReadTable(const ListingLine& line, const std::vector<std::size_t>& labels) {
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

std::size_t FileFlow::BlockOf(std::string_view label, std::size_t from_line) const {
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

// The table is the one that was named last before the jump.
std::vector<std::size_t> FileFlow::TargetsOfTable(std::size_t line) const {
  std::vector<std::size_t> targets;
  for (std::size_t i = line + 1; i-- > 0 && targets.empty();) {
    if (BeginsFunction(i)) break;
    if (lines_[i].kind != LineKind::kInstruction) continue;
    for (const std::string_view label : LabelsIn(lines_[i].operands)) {
      const auto table = tables_.find(label);
      if (table == tables_.end()) continue;
      for (const std::string_view target : table->second) targets.push_back(BlockOf(target, line));
      break;
    }
  }
  // Data that are no table of code lead nowhere.
  if (std::ranges::all_of(targets, [](std::size_t block) { return block == kNoBlock; }))
    targets.clear();
  return targets;
}

void FileFlow::LinkBlocks() {
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

std::size_t FileFlow::EntryBefore(std::size_t line) const {
  for (std::size_t i = line + 1; i-- > 0;) {
    if (BeginsFunction(i)) return BlockOf(lines_[i].word, i);
  }
  return kNoBlock;
}

std::string_view FileFlow::FunctionAt(std::size_t entry) const {
  for (const std::size_t label : blocks_[entry].labels) {
    if (!IsLocalLabel(lines_[label].word)) return lines_[label].word;
  }
  // Code that nothing known leads to belongs to what stands before it.
  for (std::size_t i = blocks_[entry].instructions.front(); i-- > 0;) {
    if (BeginsFunction(i)) return lines_[i].word;
  }
  return {};
}

}  // namespace cyclescope::assembler
