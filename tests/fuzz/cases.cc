#include "cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>

namespace cyclescope::fuzz {
namespace {

// What breaks parsers: separators, brackets that do not close, numbers that do not fit, directives.
constexpr std::array<std::string_view, 40> kTokens = {";",
                                                      "\n",
                                                      ",",
                                                      "[",
                                                      "]",
                                                      "{",
                                                      "}",
                                                      "#",
                                                      "#0",
                                                      "#-1",
                                                      "$",
                                                      "%",
                                                      "%rax",
                                                      "(",
                                                      ")",
                                                      ":",
                                                      "1:",
                                                      "1b",
                                                      "label:",
                                                      "label",
                                                      "x0",
                                                      "xzr",
                                                      "sp",
                                                      "rax",
                                                      "rip",
                                                      "zmm31",
                                                      "{k1}{z}",
                                                      "v31",
                                                      ".byte",
                                                      ".macro m",
                                                      ".rept",
                                                      "lock",
                                                      "rep",
                                                      "ptr",
                                                      "0x7fffffffffffffffffff",
                                                      "-9223372036854775808",
                                                      "!",
                                                      "//",
                                                      "/*",
                                                      "\""};

}  // namespace

Cases::Cases(std::uint64_t seed, std::vector<assembler::Instruction> forms,
             assembler::Assembler& assembler)
    : random_(seed), forms_(std::move(forms)), assembler_(assembler) {}

std::size_t Cases::Below(std::size_t end) { return random_() % end; }

std::string Cases::Noise() {
  std::string text;
  const std::size_t length = 1 + Below(60);
  for (std::size_t i = 0; i < length; ++i) {
    if (Chance(20)) {
      text += kTokens[Below(kTokens.size())];
    } else {
      // Mostly what a keyboard has, at times any byte.
      text += static_cast<char>(Chance(90) ? ' ' + Below('~' - ' ' + 1) : Below(256));
    }
  }
  return text;
}

void Cases::Mutate(std::string& text) {
  const std::size_t at = Below(text.size() + 1);
  switch (Below(5)) {
    case 0:
      text.insert(at, kTokens[Below(kTokens.size())]);
      break;
    case 1:
      if (at < text.size()) text.erase(at, 1 + Below(3));
      break;
    case 2:
      if (at < text.size()) text[at] = static_cast<char>('0' + Below(10));
      break;
    case 3:
      text.insert(at, text.substr(at, 1 + Below(8)));
      break;
    default:
      text.insert(at, 1, static_cast<char>(Below(256)));
      break;
  }
}

std::string Cases::Assembly() {
  std::string text = forms_[Below(forms_.size())].text;
  while (Chance(15)) text += (Chance(50) ? "; " : "\n") + forms_[Below(forms_.size())].text;
  while (Chance(40)) Mutate(text);
  return text;
}

assembler::Bytes Cases::Code() {
  assembler::Bytes bytes;
  while (Chance(60)) {
    const assembler::Instruction& form = forms_[Below(forms_.size())];
    if (form.length == 0) continue;
    const assembler::Bytes encoded = assembler_.Encode(form);
    bytes.insert(bytes.end(), encoded.begin(), encoded.end());
  }
  const std::size_t length = 1 + Below(24);
  while (bytes.size() < length) bytes.push_back(static_cast<std::uint8_t>(Below(256)));
  while (Chance(40)) bytes[Below(bytes.size())] ^= static_cast<std::uint8_t>(1U << Below(8));
  return bytes;
}

Case Cases::Next() {
  Case next;
  next.loop = static_cast<BlockLoop>(Below(3));
  const std::size_t share = Below(100);
  if (share < 40) {
    next.text = Noise();
  } else if (share < 75) {
    next.kind = CaseKind::kAssembly;
    next.text = Assembly();
  } else {
    next.kind = CaseKind::kBytes;
    next.bytes = Code();
    next.text = fmt::format("{:02x}", fmt::join(next.bytes, " "));
  }
  return next;
}

}  // namespace cyclescope::fuzz
