#include "gpu/ptx_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "base/try.h"

namespace cyclescope::gpu {
namespace {

bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool IsNameCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%';
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// Splits at a character that is in no bracket.
std::vector<std::string_view> SplitOutside(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (text[i] == '{' || text[i] == '[' || text[i] == '(')) ++depth;
    if (i < text.size() && (text[i] == '}' || text[i] == ']' || text[i] == ')')) --depth;
    if (i < text.size() && (text[i] != separator || depth != 0)) continue;
    parts.push_back(Trim(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  return parts;
}

std::optional<RegisterKind> KindOf(std::string_view name) {
  std::size_t digits = name.size();
  while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1])) != 0) --digits;
  if (digits == name.size()) return std::nullopt;
  const std::string_view prefix = name.substr(0, digits);
  constexpr std::pair<std::string_view, RegisterKind> kPrefixes[] = {
      {"%p", RegisterKind::kPredicate}, {"%rs", RegisterKind::kBits16},
      {"%h", RegisterKind::kBits16},    {"%r", RegisterKind::kBits32},
      {"%f", RegisterKind::kFloat32},   {"%rd", RegisterKind::kBits64},
      {"%fd", RegisterKind::kFloat64}};
  for (const auto& [known, kind] : kPrefixes) {
    if (prefix == known) return kind;
  }
  return std::nullopt;
}

// Instructions that leave nothing in a register.
bool HasNoResult(std::string_view opcode) {
  constexpr std::array<std::string_view, 20> kNone = {
      "st",      "red",   "membar",   "fence",          "prefetch",   "prefetchu", "nanosleep",
      "bra",     "ret",   "exit",     "trap",           "brkpt",      "pmevent",   "cp",
      "discard", "wgmma", "stmatrix", "griddepcontrol", "setmaxnreg", "multimem"};
  const std::string_view first = FirstPart(opcode);
  if (std::ranges::find(kNone, first) != kNone.end())
    return first != "multimem" || !HasPart(opcode, "ld_reduce");
  if (first == "bar" || first == "barrier") return !HasPart(opcode, "red");
  if (first == "mbarrier")
    return HasPart(opcode, "init") || HasPart(opcode, "inval") || HasPart(opcode, "expect_tx") ||
           HasPart(opcode, "complete_tx");
  return false;
}

int TypeBytes(std::string_view part) {
  constexpr std::pair<std::string_view, int> kBits[] = {{"128", 16}, {"64", 8}, {"32", 4},
                                                        {"16", 2},   {"8", 1},  {"16x2", 4}};
  if (part.size() < 2) return 0;
  std::size_t digits = 0;
  while (digits < part.size() && std::isdigit(static_cast<unsigned char>(part[digits])) == 0)
    ++digits;
  const std::string_view letters = part.substr(0, digits);
  if (letters != "b" && letters != "u" && letters != "s" && letters != "f" && letters != "bf")
    return 0;
  for (const auto& [text, bytes] : kBits) {
    if (part.substr(digits) == text) return bytes;
  }
  return 0;
}

std::vector<std::string_view> PartsOf(std::string_view opcode) { return SplitOutside(opcode, '.'); }

int AccessBytes(std::string_view opcode) {
  if (FirstPart(opcode) == "cp" || FirstPart(opcode) == "ldmatrix" ||
      FirstPart(opcode) == "stmatrix" || FirstPart(opcode) == "mbarrier")
    return 16;
  int bytes = 0;
  int count = 1;
  for (const std::string_view part : PartsOf(opcode)) {
    bytes = std::max(bytes, TypeBytes(part));
    if (part == "v2") count = 2;
    if (part == "v4") count = 4;
    if (part == "v8") count = 8;
  }
  return std::max(4, bytes * count);
}

// Which memory the n-th address of an instruction is in.
Result<AddressSpace> SpaceOf(std::string_view opcode, std::size_t n) {
  std::vector<AddressSpace> spaces;
  for (const std::string_view part : PartsOf(opcode)) {
    if (part == "shared" || part.starts_with("shared::")) spaces.push_back(AddressSpace::kShared);
    if (part == "global") spaces.push_back(AddressSpace::kGlobal);
    if (part == "local" || part == "const" || part == "param" || part.starts_with("param::"))
      return BadInput(fmt::format("there is no memory to measure .{} with", part),
                      "use .global, .shared or none");
  }
  const std::string_view first = FirstPart(opcode);
  // A copy names where it goes first; what it tells when it is done lies in shared memory.
  if (first == "cp" && n < spaces.size()) return spaces[n];
  if (first == "cp" || first == "mbarrier" || first == "ldmatrix" || first == "stmatrix")
    return AddressSpace::kShared;
  return spaces.empty() ? AddressSpace::kGlobal : spaces.front();
}

class Parser {
 public:
  explicit Parser(std::string_view text) { form_.text = std::string(Trim(text)); }

  Result<PtxForm> Parse() {
    const std::string text = form_.text;
    for (const std::string_view statement : SplitOutside(text, ';')) {
      if (statement.empty()) continue;
      TRY(ParseStatement(statement));
    }
    if (form_.opcode.empty()) return BadInput("there is no instruction in the text");
    return std::move(form_);
  }

 private:
  Result<void> ParseStatement(std::string_view statement) {
    for (const char c : statement) {
      if (c == '\n' || c == '"' || c == '/' || c == '\\' || static_cast<unsigned char>(c) < ' ')
        return BadInput("a text is instructions alone, without comments or directives");
    }
    if (statement.starts_with('.'))
      return BadInput(fmt::format("'{}' is a directive, not an instruction", statement));
    // A label of the text's own.
    if (statement.ends_with(':') || statement.find(": ") != std::string_view::npos) {
      const std::size_t colon = statement.find(": ");
      AddWords(
          std::string(statement.substr(0, colon == std::string_view::npos ? colon : colon + 1)) +
          (colon == std::string_view::npos ? "" : " "));
      if (colon == std::string_view::npos) return {};
      statement = Trim(statement.substr(colon + 1));
    }
    if (statement.starts_with('@')) {
      form_.has_guard = true;
      const std::size_t end = statement.find(' ');
      if (end == std::string_view::npos) return BadInput("a guard without an instruction");
      AddNames(statement.substr(0, end), /*is_written=*/false);
      AddWords(" ");
      statement = Trim(statement.substr(end));
    }
    const std::size_t end = std::min(statement.find_first_of(" \t"), statement.size());
    const std::string opcode(statement.substr(0, end));
    if (FirstPart(opcode) == "call" || FirstPart(opcode) == "ret" || FirstPart(opcode) == "exit")
      return BadInput(fmt::format("{} leaves the text, so it cannot be repeated", opcode));
    if (form_.opcode.empty()) form_.opcode = opcode;
    AddWords(opcode + " ");
    const std::string_view rest = Trim(statement.substr(end));
    std::size_t address = 0;
    std::vector<std::size_t> written;
    if (!rest.empty()) {
      const auto operands = SplitOutside(rest, ',');
      for (std::size_t i = 0; i < operands.size(); ++i) {
        if (i > 0) AddWords(", ");
        const bool is_written = i == 0 && !HasNoResult(opcode);
        TRY(AddOperand(opcode, operands[i], is_written, address, written));
      }
    }
    for (const std::size_t reg : written) written_.insert(reg);
    AddWords(";");
    return {};
  }

  Result<void> AddOperand(const std::string& opcode, std::string_view text, bool is_written,
                          std::size_t& address, std::vector<std::size_t>& written) {
    // A result and a predicate: "%r0|%p0".
    if (is_written && text.find('|') != std::string_view::npos) {
      const std::size_t bar = text.find('|');
      TRY(AddOperand(opcode, Trim(text.substr(0, bar)), true, address, written));
      AddWords("|");
      return AddOperand(opcode, Trim(text.substr(bar + 1)), true, address, written);
    }
    PtxOperand operand;
    operand.text = std::string(text);
    operand.is_address = text.find('[') != std::string_view::npos;
    operand.is_written = is_written && !operand.is_address;
    if (operand.is_address) {
      operand.space = TRY(SpaceOf(opcode, address++));
      form_.access_bytes = std::max(form_.access_bytes, AccessBytes(opcode));
    }
    for (const std::size_t reg : AddNames(text, operand.is_written)) {
      if (operand.is_written) {
        written.push_back(reg);
        operand.registers.push_back(reg);
      } else if (!written_.contains(reg)) {
        operand.registers.push_back(reg);
      }
    }
    if (operand.registers.empty()) return {};
    if (operand.is_written) {
      std::erase_if(form_.results,
                    [&](const PtxOperand& each) { return each.text == operand.text; });
      form_.results.push_back(std::move(operand));
    } else if (std::ranges::find(form_.sources, operand.text, &PtxOperand::text) ==
               form_.sources.end()) {
      form_.sources.push_back(std::move(operand));
    }
    return {};
  }

  void AddWords(std::string words) { form_.pieces.push_back({.words = std::move(words)}); }

  // Adds the text as pieces, and returns its registers.
  std::vector<std::size_t> AddNames(std::string_view text, bool is_written) {
    std::vector<std::size_t> found;
    std::string words;
    for (std::size_t i = 0; i < text.size();) {
      std::size_t end = i + 1;
      if (text[i] == '%') {
        while (end < text.size() && IsNameCharacter(text[end])) ++end;
      }
      const std::string_view name = text.substr(i, end - i);
      const auto kind = text[i] == '%' ? KindOf(name) : std::nullopt;
      if (!kind) {
        words += name;
      } else {
        if (!words.empty()) AddWords(std::exchange(words, ""));
        const std::size_t reg = RegisterOf(name, *kind);
        form_.pieces.push_back(
            {.words = "", .reg = reg, .is_result = is_written || written_.contains(reg)});
        found.push_back(reg);
      }
      i = end;
    }
    if (!words.empty()) AddWords(std::move(words));
    return found;
  }

  std::size_t RegisterOf(std::string_view name, RegisterKind kind) {
    const auto known = std::ranges::find(form_.registers, name, &PtxRegister::name);
    if (known != form_.registers.end())
      return static_cast<std::size_t>(known - form_.registers.begin());
    form_.registers.push_back({std::string(name), kind});
    return form_.registers.size() - 1;
  }

  PtxForm form_;
  std::set<std::size_t> written_;
};

}  // namespace

Result<PtxForm> ParsePtx(std::string_view text) { return Parser(text).Parse(); }

std::string_view FirstPart(std::string_view opcode) { return opcode.substr(0, opcode.find('.')); }

bool HasPart(std::string_view opcode, std::string_view part) {
  const auto parts = PartsOf(opcode);
  return std::ranges::find(parts, part) != parts.end();
}

std::string_view PtxType(RegisterKind kind) {
  switch (kind) {
    case RegisterKind::kPredicate:
      return ".pred";
    case RegisterKind::kBits16:
      return ".b16";
    case RegisterKind::kBits32:
      return ".b32";
    case RegisterKind::kFloat32:
      return ".f32";
    case RegisterKind::kBits64:
      return ".b64";
    case RegisterKind::kFloat64:
      return ".f64";
  }
  std::unreachable();
}

int BitsOf(RegisterKind kind) {
  switch (kind) {
    case RegisterKind::kPredicate:
      return 1;
    case RegisterKind::kBits16:
      return 16;
    case RegisterKind::kBits32:
    case RegisterKind::kFloat32:
      return 32;
    case RegisterKind::kBits64:
    case RegisterKind::kFloat64:
      return 64;
  }
  std::unreachable();
}

std::int64_t MatrixOperations(std::string_view opcode) {
  const std::string_view first = FirstPart(opcode);
  if (first != "mma" && first != "wgmma") return 0;
  for (const std::string_view part : PartsOf(opcode)) {
    const std::size_t n = part.find('n');
    const std::size_t k = part.find('k');
    if (!part.starts_with('m') || n == std::string_view::npos || k == std::string_view::npos)
      continue;
    const auto number = [&](std::size_t from, std::size_t to) {
      return ParseNumber<std::int64_t>(part.substr(from, to - from)).value_or(0);
    };
    const std::int64_t shape = number(1, n) * number(n + 1, k) * number(k + 1, part.size());
    if (shape > 0) return 2 * shape;
  }
  return 0;
}

}  // namespace cyclescope::gpu
