// Assembler's members that take text.
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELFObjectFile.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "assembler/assembler.h"
#include "assembler/isa.h"
#include "assembler/listing_line.h"
#include "assembler/llvm_target.h"
#include "assembler/needed_features.h"
#include "assembler/parse.h"
#include "assembler/roles.h"
#include "assembler/scan.h"
#include "assembler/suggest.h"

namespace cyclescope::assembler {
namespace {

// Where `word` stands in the text by itself; 0 where it does not.
std::size_t FindWord(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool starts = at == 0 || !IsNameCharacter(text[at - 1]);
    const bool ends = end == text.size() || !IsNameCharacter(text[end]);
    if (starts && ends) return at;
  }
  return 0;
}

std::string StatementAround(std::string_view text, std::size_t offset) {
  const std::string_view separators = "\n;";
  const std::size_t before = text.substr(0, offset).find_last_of(separators);
  const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t end = std::min(text.find_first_of(separators, offset), text.size());
  std::string_view statement = text.substr(start, end - start);
  const std::size_t label = statement.find(':');
  if (label != std::string_view::npos &&
      std::ranges::all_of(statement.substr(0, label), IsNameCharacter)) {
    statement.remove_prefix(label + 1);
  }
  return std::string(statement);
}

std::string FirstWord(std::string_view statement) {
  const auto begin =
      std::ranges::find_if_not(statement, [](unsigned char c) { return std::isspace(c) != 0; });
  const auto end = std::find_if_not(begin, statement.end(), IsNameCharacter);
  return {begin, end};
}

TextError NeedsFeatures(std::string_view text, std::size_t offset, std::string_view mnemonic,
                        std::vector<std::string> features) {
  TextError error = ErrorAt(text, offset, TextErrorKind::kNeedsFeature,
                            fmt::format("'{}' needs {}, which is not offered here", mnemonic,
                                        fmt::join(features, " and ")));
  error.mnemonic = mnemonic;
  error.features = std::move(features);
  return error;
}

// What LLVM's parser lets through though the CPU does not have it.
std::optional<TextError> CheckIsa(const Llvm& llvm, std::string_view text, std::size_t offset,
                                  const Instruction& instruction) {
  std::vector<std::string> missing = MissingIsa(llvm, instruction);
  if (missing.empty()) return std::nullopt;
  return NeedsFeatures(text, offset, instruction.mnemonic, std::move(missing));
}

// The architecture that the statement was written for, where it is not ours: one that takes it as
// it stands, or, where we have no instruction of that name, one that has.
std::optional<Architecture> OtherArchitecture(Llvm& llvm, const std::string& statement,
                                              std::string_view word, bool no_such_name) {
  for (const Architecture architecture : kArchitectures) {
    if (architecture == llvm.description.architecture) continue;
    auto& other = llvm.others[architecture];
    if (other == nullptr) {
      auto made = Llvm::Create({.architecture = architecture, .cpu = {}, .features = {}});
      if (!made) continue;
      other = std::move(*made);
    }
    if (no_such_name && HasMnemonic(*other, word)) return architecture;
    if (Scan(*other, statement)) continue;
    bool found = false;
    const auto outcome = ParseText(*other, *WithAllFeatures(*other), statement,
                                   [&found](auto&&...) { found = true; });
    if (found && outcome.complaints.empty()) return architecture;
  }
  return std::nullopt;
}

bool IsInstruction(const Llvm& llvm, const std::string& statement) {
  if (Scan(llvm, statement)) return false;
  bool found = false;
  const auto outcome =
      ParseText(llvm, *llvm.subtarget, statement, [&found](auto&&...) { found = true; });
  return found && outcome.complaints.empty();
}

// True if the statement would be an instruction if its last operand stood there twice.
bool TakesOneMore(const Llvm& llvm, std::string_view statement, std::string_view word) {
  const std::size_t comma = statement.rfind(',');
  const std::size_t last =
      comma == std::string_view::npos ? statement.find(word) + word.size() : comma + 1;
  return IsInstruction(llvm, fmt::format("{}, {}", statement, statement.substr(last)));
}

// The statement at `offset` with a comma there, where that makes it an instruction; else empty.
std::string WithComma(const Llvm& llvm, const std::string& text, std::size_t offset) {
  std::string repaired = text;
  const std::size_t last = repaired.find_last_not_of(" \t", offset == 0 ? 0 : offset - 1);
  if (last == std::string::npos || last >= offset) return "";
  repaired.insert(last + 1, ",");
  const std::string statement = StatementAround(repaired, offset);
  return IsInstruction(llvm, statement) ? statement : "";
}

constexpr char kOwnLabels[] = "code can only refer to labels of its own";

// The words of a statement that are registers, as they stand there.
std::vector<std::pair<std::string, Register>> RegistersIn(const Llvm& llvm,
                                                          std::string_view statement) {
  std::vector<std::pair<std::string, Register>> found;
  for (auto begin = statement.begin(); begin != statement.end();) {
    begin = std::find_if(begin, statement.end(), IsNameCharacter);
    const auto end = std::find_if_not(begin, statement.end(), IsNameCharacter);
    const std::string word(begin, end);
    if (const auto reg = llvm.register_table->Find(word)) found.emplace_back(word, *reg);
    begin = end;
  }
  return found;
}

// "eax has 32 bits, rbx has 64"; empty where its general registers are equally wide. Those of an
// address have a width of their own.
std::string DifferentWidths(const Llvm& llvm, std::string_view statement) {
  const auto registers = RegistersIn(llvm, statement.substr(0, statement.find('[')));
  const auto is_general = [](const auto& each) {
    return each.second.file == RegisterFile::kGeneral;
  };
  const auto first = std::ranges::find_if(registers, is_general);
  if (first == registers.end()) return "";
  const auto other = std::ranges::find_if(registers, [&](const auto& each) {
    return is_general(each) && each.second.bits != first->second.bits;
  });
  if (other == registers.end()) return "";
  return fmt::format("{} has {} bits, {} has {}", first->first, first->second.bits, other->first,
                     other->second.bits);
}

// The register that an AT&T text has without its %, as in `mov rax, rbx`; else empty.
std::string BareRegister(const Llvm& llvm, std::string_view statement) {
  const bool att = llvm.rules->has_att_syntax && llvm.description.syntax == Syntax::kAtt;
  if (!att || statement.contains('%')) return "";
  const auto registers = RegistersIn(llvm, statement);
  return registers.empty() ? "" : registers.front().first;
}

TextError NeedsPercent(std::string_view text, std::size_t offset, std::string_view reg) {
  return ErrorAt(text, offset, TextErrorKind::kSyntax,
                 fmt::format("registers have a % in AT&T syntax: %{}", reg),
                 "write it so, or leave out --syntax att");
}

// What LLVM said, as an error of ours: where the instruction would exist on another CPU, which
// features it needs; where the name is unknown, what was perhaps meant.
TextError Explain(Llvm& llvm, const std::string& text, const Complaint& complaint) {
  const std::string statement = StatementAround(text, complaint.offset);
  const std::string word = FirstWord(statement);
  if (const std::string reg = BareRegister(llvm, statement); !reg.empty())
    return NeedsPercent(text, complaint.offset, reg);
  std::vector<std::string> features = NeededFeatures(llvm, *llvm.subtarget, statement);
  if (!features.empty()) return NeedsFeatures(text, complaint.offset, word, std::move(features));
  std::string message = complaint.message;
  std::string hint;
  // LLVM says this also of a name that there is, where it takes no such operands.
  const bool doubts_name = message.find("instruction mnemonic") != std::string::npos;
  const bool no_such_name = doubts_name && !HasMnemonic(llvm, word);
  if (const auto other = OtherArchitecture(llvm, statement, word, no_such_name)) {
    message = HasMnemonic(llvm, word)
                  ? fmt::format("the operands of this '{}' are {}'s", word, DisplayName(*other))
                  : fmt::format("'{}' is an {} instruction", word, DisplayName(*other));
    hint = fmt::format("this is an assembler of {}", DisplayName(llvm.description.architecture));
  } else if (no_such_name) {
    message = fmt::format("there is no instruction '{}'", word);
    const auto near = NearMnemonics(llvm, word);
    if (!near.empty()) hint = fmt::format("did you mean {}?", fmt::join(near, ", "));
  } else if (TakesOneMore(llvm, statement, word)) {
    message = fmt::format("too few operands for '{}'", word);
  } else if (const std::string repaired = WithComma(llvm, text, complaint.offset);
             !repaired.empty()) {
    message = "a comma is missing here";
    hint = fmt::format("did you mean '{}'?", repaired);
  } else if (doubts_name || message == "invalid operand for instruction") {
    message = fmt::format("no form of '{}' takes these operands", word);
    hint = DifferentWidths(llvm, statement);
  } else if (message == "invalid reference to undefined symbol") {
    message = "there is no such label in the text";
    hint = kOwnLabels;
  }
  return ErrorAt(text, complaint.offset, TextErrorKind::kSyntax, std::move(message),
                 std::move(hint));
}

// The code section of an object file that we just made, if nothing in it is left for a linker.
struct Section {
  Bytes bytes;
  std::optional<std::string> unresolved;  // a symbol's name
  std::vector<SymbolAddress> symbols;
};

// How many bytes a symbol's address takes where a relocation wants it whole, and not its distance;
// 0 where it wants something else.
std::size_t AddressBytes(const llvm::object::ObjectFile& object,
                         const llvm::object::RelocationRef& relocation) {
  if (object.getArch() != llvm::Triple::x86_64) return 0;
  switch (relocation.getType()) {
    case llvm::ELF::R_X86_64_32:
    case llvm::ELF::R_X86_64_32S:
      return sizeof(std::uint32_t);
    case llvm::ELF::R_X86_64_64:
      return sizeof(std::uint64_t);
    default:
      return 0;
  }
}

Section CodeOf(const std::string& elf) {
  Section section;
  auto object = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(elf, "text"));
  if (!object) {
    section.unresolved = llvm::toString(object.takeError());
    return section;
  }
  for (const llvm::object::SectionRef& candidate : (*object)->sections()) {
    if (candidate.isText()) {
      if (auto contents = candidate.getContents()) {
        section.bytes.assign(contents->begin(), contents->end());
      } else {
        llvm::consumeError(contents.takeError());
      }
    }
    for (const llvm::object::RelocationRef& relocation : candidate.relocations()) {
      const auto symbol = relocation.getSymbol();
      section.unresolved.emplace();
      if (symbol == (*object)->symbol_end()) continue;
      auto name = symbol->getName();
      if (!name) {
        llvm::consumeError(name.takeError());
        continue;
      }
      section.unresolved = name->str();
      if (const std::size_t bytes = AddressBytes(**object, relocation); bytes > 0) {
        auto addend = llvm::object::ELFRelocationRef(relocation).getAddend();
        if (!addend) llvm::consumeError(addend.takeError());
        section.symbols.push_back({.at = static_cast<std::size_t>(relocation.getOffset()),
                                   .bytes = bytes,
                                   .symbol = name->str(),
                                   .addend = addend ? *addend : 0});
      }
    }
  }
  return section;
}

// With `undefined`, labels that the text does not define are no mistake, and are listed there.
TextResult<std::vector<Instruction>> ParseInstructions(
    Llvm& llvm, const std::string& text, std::vector<std::string>* undefined = nullptr) {
  if (auto refused = Scan(llvm, text)) return std::unexpected(std::move(*refused));
  std::vector<Instruction> instructions;
  std::optional<TextError> misread;
  std::optional<TextError> missing_feature;
  const ParseOutcome outcome =
      ParseText(llvm, *llvm.subtarget, text, [&](const llvm::MCInst& inst, std::size_t offset) {
        instructions.push_back(Describe(llvm, inst));
        const auto misreading = llvm.rules->misreading(instructions.back());
        if (misreading && !misread) {
          misread =
              ErrorAt(text, offset, TextErrorKind::kSyntax, misreading->message, misreading->hint);
        }
        if (!missing_feature) missing_feature = CheckIsa(llvm, text, offset, instructions.back());
      });
  if (!outcome.complaints.empty()) {
    return std::unexpected(Explain(llvm, text, outcome.complaints.front()));
  }
  if (undefined != nullptr) {
    *undefined = outcome.undefined_labels;
  } else if (!outcome.undefined_labels.empty()) {
    const std::string& label = outcome.undefined_labels.front();
    const std::size_t place = FindWord(text, label);
    const std::string statement = StatementAround(text, place);
    if (const std::string reg = BareRegister(llvm, statement); reg == label)
      return std::unexpected(NeedsPercent(text, place, reg));
    const Flow flow = llvm.rules->flow(FirstWord(statement), {});
    const bool branches = flow == Flow::kConditional || flow == Flow::kJump;
    const auto near = branches ? std::vector<std::string>() : NearRegisters(llvm, label);
    return std::unexpected(ErrorAt(
        text, place, TextErrorKind::kNoSuchLabel,
        fmt::format("there is no label '{}' in the text{}", label,
                    near.empty() ? "" : ", and no such register"),
        near.empty() ? kOwnLabels : fmt::format("did you mean {}?", fmt::join(near, ", "))));
  }
  if (misread) return std::unexpected(std::move(*misread));
  if (missing_feature) return std::unexpected(std::move(*missing_feature));
  return instructions;
}

}  // namespace

TextResult<std::vector<Instruction>> Assembler::Parse(std::string_view text) {
  return ParseInstructions(*llvm_, std::string(text));
}

TextResult<Snippet> Assembler::Assemble(std::string_view text_view) {
  const std::string text(text_view);
  auto instructions = ParseInstructions(*llvm_, text);
  if (!instructions) return std::unexpected(std::move(instructions.error()));
  if (std::ranges::none_of(*instructions, &Instruction::RefersToLabel)) {
    Bytes bytes = Encode(*instructions);
    return Snippet{std::move(bytes), std::move(*instructions)};
  }
  const ObjectOutcome object = EmitObject(*llvm_, text);
  if (!object.complaints.empty()) {
    return std::unexpected(Explain(*llvm_, text, object.complaints.front()));
  }
  Section section = CodeOf(object.elf);
  if (section.unresolved) {
    return std::unexpected(
        ErrorAt(text, FindWord(text, *section.unresolved), TextErrorKind::kNotAllowed,
                "this needs an address that only a linker knows",
                "code can only refer to labels of its own, relative to the instruction"));
  }
  return Snippet{std::move(section.bytes), std::move(*instructions)};
}

TextResult<Snippet> Assembler::AssemblePart(std::string_view text_view,
                                            std::span<const JumpTable> tables) {
  std::string text(text_view);
  std::vector<std::string> undefined;
  auto instructions = ParseInstructions(*llvm_, text, &undefined);
  if (!instructions) return std::unexpected(std::move(instructions.error()));
  // What is wanted as an address stays undefined: so the object names it, and what is added to it.
  if (!undefined.empty()) {
    for (const SymbolAddress& each : CodeOf(EmitObject(*llvm_, text).elf).symbols)
      std::erase(undefined, each.symbol);
  }
  // Each other label gets a place of its own behind the text, so that data are not all in one.
  constexpr std::size_t kApart = 64;
  const Bytes one = Encode(Parse("nop")->front());
  text += '\n';
  for (const std::string& label : undefined) {
    text += label + ":\n";
    for (std::size_t i = 0; i < kApart / one.size(); ++i) text += "nop\n";
  }
  // Behind all that, numbers from which the targets of tables are read.
  constexpr std::string_view kBegin = ".Lbegin_of_part";
  std::size_t numbers = 0;
  for (const JumpTable& table : tables) {
    for (const std::string& target : table.targets) {
      if (target.empty()) continue;
      text += fmt::format(".long {}-{}\n", target, kBegin);
      ++numbers;
    }
  }
  if (numbers > 0) text.insert(0, fmt::format("{}: ", kBegin));
  const ObjectOutcome object = EmitObject(*llvm_, text);
  if (!object.complaints.empty())
    return std::unexpected(Explain(*llvm_, text, object.complaints.front()));
  Section section = CodeOf(object.elf);
  const std::size_t numbers_at = section.bytes.size() - numbers * sizeof(std::uint32_t);
  Snippet snippet;
  snippet.instructions = std::move(*instructions);
  std::size_t at = numbers_at;
  for (const JumpTable& table : tables) {
    JumpTargets& resolved = snippet.tables.emplace_back();
    resolved.jump = table.jump;
    for (const std::string& target : table.targets) {
      std::optional<std::size_t>& offset = resolved.offsets.emplace_back();
      if (target.empty()) continue;
      std::uint32_t number = 0;
      std::memcpy(&number, &section.bytes[at], sizeof(number));
      at += sizeof(number);
      offset = number;
    }
  }
  section.bytes.resize(numbers_at - kApart * undefined.size());
  snippet.bytes = std::move(section.bytes);
  snippet.symbols = std::move(section.symbols);
  return snippet;
}

Result<Bytes> Assembler::AssembleText(std::string_view text) {
  auto snippet = Assemble(text);
  if (!snippet) return std::unexpected(snippet.error().ToError());
  return std::move(snippet->bytes);
}

}  // namespace cyclescope::assembler
