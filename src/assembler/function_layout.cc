#include "assembler/function_layout.h"

#include <fmt/core.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Object/ObjectFile.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "assembler/assembler.h"
#include "assembler/llvm_target.h"
#include "assembler/needed_features.h"
#include "assembler/parse.h"
#include "assembler/scan.h"
#include "base/text.h"

namespace cyclescope::assembler {
namespace {

constexpr std::string_view kMark = "cyclescope_place_";

struct Alignment {
  unsigned bytes = 1;
  std::optional<unsigned> most_padding;  // else none

  // What is a multiple of it in any case.
  unsigned Guaranteed() const { return most_padding ? 1 : bytes; }
  std::string Text() const {
    return fmt::format("\t.balign\t{}, , {}\n", bytes, most_padding.value_or(bytes));
  }
};

// `.p2align 4,,10` begins at a multiple of 16, if that takes no more than 10 bytes.
std::optional<Alignment> AlignmentOf(const ListingLine& line, Architecture architecture) {
  if (line.kind != LineKind::kDirective) return std::nullopt;
  const bool by_power =
      line.word == ".p2align" || (line.word == ".align" && architecture == Architecture::kAArch64);
  if (!by_power && line.word != ".balign" && line.word != ".align") return std::nullopt;
  std::vector<std::string_view> parts;
  for (std::string_view rest = line.operands;;) {
    const std::size_t comma = rest.find(',');
    parts.push_back(rest.substr(0, comma));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  constexpr unsigned kMostPower = 6;  // a whole line
  const auto number = ParseNumber<unsigned>(Trimmed(parts.front()));
  if (!number) return std::nullopt;
  Alignment alignment;
  if (by_power) {
    alignment.bytes = 1U << std::min(*number, kMostPower);
  } else {
    if (*number == 0 || (*number & (*number - 1)) != 0) return std::nullopt;
    alignment.bytes = std::min(*number, 1U << kMostPower);
  }
  if (parts.size() > 2) alignment.most_padding = ParseNumber<unsigned>(Trimmed(parts[2]));
  return alignment;
}

// The section that each line belongs to.
std::vector<std::string_view> SectionsOf(std::span<const ListingLine> lines) {
  std::vector<std::string_view> sections;
  std::vector<std::string_view> open = {".text"};
  std::string_view before = ".text";
  for (const ListingLine& line : lines) {
    const auto change = [&](std::string_view to) { before = std::exchange(open.back(), to); };
    if (line.word == ".text" || line.word == ".data" || line.word == ".bss") {
      change(line.word);
    } else if (line.word == ".section") {
      change(Trimmed(line.operands.substr(0, line.operands.find(','))));
    } else if (line.word == ".pushsection") {
      open.push_back(Trimmed(line.operands.substr(0, line.operands.find(','))));
    } else if (line.word == ".popsection" && open.size() > 1) {
      open.pop_back();
    } else if (line.word == ".previous") {
      change(before);
    }
    sections.push_back(open.back());
  }
  return sections;
}

struct FunctionText {
  std::string text;
  unsigned alignment = 1;  // the largest in it
};

class FunctionLayout {
 public:
  FunctionLayout(std::span<const ListingLine> lines, Architecture architecture, const Llvm& llvm)
      : lines_(lines), architecture_(architecture), llvm_(llvm), sections_(SectionsOf(lines)) {}

  // The places of some instructions (lines) of one function.
  std::map<std::size_t, std::vector<int>> PlacesOf(std::size_t function,
                                                   const std::set<std::size_t>& instructions) {
    std::map<std::size_t, std::vector<int>> places;
    const auto text = TextOf(function, instructions);
    if (!text) return places;
    // Where functions are aligned to less, there would be many places; these tell them apart.
    constexpr unsigned kFewestBytes = 16;
    const unsigned step = std::max(AlignmentOfFunction(function), kFewestBytes);
    // Where it aligns to no more than it is aligned to itself, all of it moves alike.
    const bool moves_alike = text->alignment <= step;
    std::map<std::size_t, std::uint64_t> found;
    for (unsigned start = 0; start < kCodeLine; start += step) {
      if (start == 0 || !moves_alike) {
        found =
            OffsetsIn(fmt::format("\t.balign\t{}\n\t.skip\t{}\n{}", kCodeLine, start, text->text));
      }
      for (const auto& [line, offset] : found) {
        const std::uint64_t moved = moves_alike ? offset + start : offset;
        places[line].push_back(static_cast<int>(moved % kCodeLine));
      }
    }
    for (auto& [line, offsets] : places) {
      std::ranges::sort(offsets);
      offsets.erase(std::ranges::unique(offsets).begin(), offsets.end());
    }
    return places;
  }

 private:
  // What stands before its label, as far as that is sure.
  unsigned AlignmentOfFunction(std::size_t function) const {
    unsigned bytes = 1;
    for (std::size_t i = function; i-- > 0 && lines_[i].kind != LineKind::kInstruction;) {
      if (sections_[i] != sections_[function]) break;
      if (const auto alignment = AlignmentOf(lines_[i], architecture_))
        bytes = std::max(bytes, alignment->Guaranteed());
    }
    return bytes;
  }

  // Labels of compilers' own begin with a dot, or are numbers.
  static bool BeginsFunction(std::string_view label) {
    return !label.starts_with('.') && label.find_first_not_of("0123456789") != label.npos;
  }

  // The function's code, labels and alignments, with marks at the instructions; unset where it is
  // nothing that an assembler should see.
  std::optional<FunctionText> TextOf(std::size_t function,
                                     const std::set<std::size_t>& instructions) const {
    FunctionText made;
    std::string& text = made.text;
    std::string code;  // the same without directives
    std::set<std::string_view> labels;
    for (std::size_t i = function; i < lines_.size(); ++i) {
      const ListingLine& line = lines_[i];
      if (sections_[i] != sections_[function]) continue;
      if (i > function && line.kind == LineKind::kLabel && BeginsFunction(line.word)) break;
      if (line.kind == LineKind::kLabel || line.kind == LineKind::kInstruction) {
        if (instructions.contains(i)) text += fmt::format("{}{}:\n", kMark, i);
        for (std::string* each : {&text, &code}) *each += fmt::format("{}\n", line.text);
      } else if (const auto alignment = AlignmentOf(line, architecture_)) {
        text += alignment->Text();
        made.alignment = std::max(made.alignment, alignment->bytes);
      }
    }
    if (Scan(llvm_, code)) return std::nullopt;
    const ParseOutcome parsed =
        ParseText(llvm_, *llvm_.subtarget, code, [](const llvm::MCInst&, std::size_t) {});
    if (!parsed.complaints.empty()) return std::nullopt;
    // What is elsewhere is far away.
    text += "\t.section\t.text.elsewhere,\"ax\",@progbits\n";
    for (const std::string& label : parsed.undefined_labels) text += fmt::format("{}:\n", label);
    return made;
  }

  // Of each mark in a text.
  std::map<std::size_t, std::uint64_t> OffsetsIn(const std::string& text) const {
    std::map<std::size_t, std::uint64_t> offsets;
    const ObjectOutcome object = EmitObject(llvm_, text);
    if (!object.complaints.empty()) return offsets;
    auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object.elf, ""));
    if (!file) {
      llvm::consumeError(file.takeError());
      return offsets;
    }
    for (const llvm::object::SymbolRef& symbol : (*file)->symbols()) {
      auto name = symbol.getName();
      auto value = symbol.getValue();
      if (!name || !value) {
        llvm::consumeError(name.takeError());
        llvm::consumeError(value.takeError());
        continue;
      }
      if (!name->starts_with(kMark)) continue;
      if (const auto line = ParseNumber<unsigned>(name->substr(kMark.size())))
        offsets[*line] = *value;
    }
    return offsets;
  }

  std::span<const ListingLine> lines_;
  Architecture architecture_;
  const Llvm& llvm_;
  std::vector<std::string_view> sections_;
};

}  // namespace

std::vector<std::vector<int>> PlacesInLine(std::span<const ListingLine> lines,
                                           std::span<const CodeSpot> spots,
                                           Architecture architecture, Syntax syntax) {
  std::vector<std::vector<int>> places(spots.size());
  auto llvm =
      Llvm::Create({.architecture = architecture, .cpu = {}, .features = {}, .syntax = syntax});
  if (!llvm || spots.empty()) return places;
  (*llvm)->subtarget = WithAllFeatures(**llvm);
  FunctionLayout layout(lines, architecture, **llvm);
  std::map<std::size_t, std::set<std::size_t>> by_function;
  for (const CodeSpot& spot : spots) by_function[spot.function].insert(spot.instruction);
  std::map<std::size_t, std::vector<int>> by_instruction;
  for (const auto& [function, instructions] : by_function) {
    auto found = layout.PlacesOf(function, instructions);
    for (auto& [instruction, offsets] : found) by_instruction[instruction] = std::move(offsets);
  }
  for (std::size_t i = 0; i < spots.size(); ++i) places[i] = by_instruction[spots[i].instruction];
  return places;
}

}  // namespace cyclescope::assembler
