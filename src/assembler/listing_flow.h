// The control flow of a compiler's file: functions, blocks of code, and where each goes on.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "assembler/listing.h"
#include "assembler/listing_line.h"

namespace cyclescope::assembler {

inline constexpr std::size_t kNoBlock = static_cast<std::size_t>(-1);

// Instructions that are executed one after the other, from the first to the last.
struct CodeBlock {
  std::vector<std::size_t> labels;        // lines
  std::vector<std::size_t> instructions;  // lines
  std::size_t falls_to = kNoBlock;  // the block behind it, if the last instruction leads there
};

// Words in a text that look like labels of a compiler's own.
std::vector<std::string_view> LabelsIn(std::string_view text);

// Blocks are named by their place in the file, lines by theirs in `lines`, which must outlive it.
class FileFlow {
 public:
  explicit FileFlow(std::span<const ListingLine> lines);

  const std::vector<CodeBlock>& blocks() const { return blocks_; }
  // Those with which functions begin.
  const std::vector<std::size_t>& entries() const { return entries_; }
  // The blocks that may be next, ascending.
  const std::vector<std::size_t>& After(std::size_t block) const { return next_[block]; }

  // By entry of the table that an indirect jump goes through; kNoBlock where that leads elsewhere.
  std::vector<std::size_t> TargetsOfTable(std::size_t line) const;
  // True if the line is the label of a function.
  bool BeginsFunction(std::size_t line) const {
    return lines_[line].kind == LineKind::kLabel && IsFunction(lines_[line].word);
  }
  // The function that begins with the block, or stands before it; empty where there is none.
  std::string_view FunctionAt(std::size_t entry) const;

 private:
  void FindFunctions();
  bool IsFunction(std::string_view label) const;
  void MakeBlocks();
  void AddLabel(std::size_t line, std::size_t block);
  // Labels of code among data: where a jump through a table may lead. False where the line has no
  // data.
  bool ReadTable(const ListingLine& line, const std::vector<std::size_t>& labels);
  void LinkBlocks();
  std::size_t BlockOf(std::string_view label, std::size_t from_line) const;
  // The block with which the line's function begins.
  std::size_t EntryBefore(std::size_t line) const;

  std::span<const ListingLine> lines_;
  std::set<std::string_view> functions_;
  std::vector<CodeBlock> blocks_;
  std::vector<std::vector<std::size_t>> next_;
  std::map<std::string_view, std::size_t> labels_;
  std::map<std::pair<std::string_view, std::size_t>, std::size_t> numbers_;
  std::map<std::string_view, std::vector<std::string_view>> tables_;
  std::vector<std::size_t> entries_;
  std::set<std::size_t> is_entry_;
};

// The innermost loops of a compiler's file, and those around them that do the same work without
// them. A loop's text holds all of its blocks, wherever they
// stand in the file, in the file's order: bodies with several ways, edges back from several places,
// parts in a section of cold code. It begins with what every way into the loop leads to. Where the
// file's order is broken, jumps are put in; ways out lead to labels that the text does not define.
std::vector<Region> LoopsOf(std::span<const ListingLine> lines, const Rules& rules);

}  // namespace cyclescope::assembler
