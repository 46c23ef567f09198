#include "assembler/scan.h"

#include <fmt/core.h>
#include <llvm/MC/MCParser/AsmLexer.h>

#include <algorithm>
#include <string>
#include <vector>

#include "assembler/assembler.h"

namespace cyclescope::assembler {
namespace {

using llvm::AsmToken;

// Nested and unary expressions cost the parser stack for each level.
constexpr std::size_t kMaxTokens = 120;

std::size_t OffsetOf(std::string_view text, const AsmToken& token) {
  const char* place = token.getLoc().getPointer();
  if (place < text.data() || place > text.data() + text.size()) return text.size();
  return static_cast<std::size_t>(place - text.data());
}

bool IsSpace(const AsmToken& token) {
  return token.is(AsmToken::Space) || token.is(AsmToken::Comment);
}

// One statement's tokens without labels; `tokens` may be empty.
class Statement {
 public:
  Statement(const Llvm& llvm, std::string_view text, std::vector<AsmToken> tokens)
      : llvm_(llvm), text_(text), tokens_(std::move(tokens)) {}

  std::optional<TextError> Check() {
    SkipLabels();
    if (tokens_.empty()) return std::nullopt;
    if (tokens_.size() > kMaxTokens) {
      return Refuse(tokens_[kMaxTokens], TextErrorKind::kTooLong,
                    "this is longer than any instruction");
    }
    for (const auto check :
         {&Statement::CheckStart, &Statement::CheckOperators, &Statement::CheckBrackets}) {
      if (auto error = (this->*check)()) return error;
    }
    return std::nullopt;
  }

 private:
  std::optional<TextError> Refuse(const AsmToken& token, TextErrorKind kind, std::string message,
                                  std::string hint = {}) const {
    return ErrorAt(text_, OffsetOf(text_, token), kind, std::move(message), std::move(hint));
  }

  void SkipLabels() {
    while (tokens_.size() >= 2 && tokens_[1].is(AsmToken::Colon) &&
           (tokens_[0].is(AsmToken::Identifier) || tokens_[0].is(AsmToken::Integer))) {
      tokens_.erase(tokens_.begin(), tokens_.begin() + 2);
    }
  }

  std::optional<TextError> CheckStart() const {
    const AsmToken& first = tokens_.front();
    constexpr const char* kAllowed = "only instructions, labels and comments are allowed";
    const std::string_view word = first.getString();
    if (word.starts_with('.')) {
      return Refuse(first, TextErrorKind::kNotAllowed,
                    fmt::format("'{}' is an assembler directive, not an instruction", word),
                    kAllowed);
    }
    // `{evex} vaddps …` starts with a brace, `# 1 "file"` is a comment for the preprocessor.
    const bool may_start = first.is(AsmToken::Identifier) || first.is(AsmToken::LCurly) ||
                           first.is(AsmToken::HashDirective) || first.is(AsmToken::Error);
    if (!may_start) {
      return Refuse(first, TextErrorKind::kNotAllowed,
                    fmt::format("no instruction starts with '{}'", word), kAllowed);
    }
    if (tokens_.size() < 2) return std::nullopt;
    const AsmToken& second = tokens_[1];
    if (second.is(AsmToken::Equal) || second.is(AsmToken::EqualEqual)) {
      return Refuse(second, TextErrorKind::kNotAllowed, "a symbol cannot be assigned here",
                    kAllowed);
    }
    if (second.is(AsmToken::Identifier) && second.getString().equals_insensitive(".req")) {
      return Refuse(second, TextErrorKind::kNotAllowed,
                    "'.req' is an assembler directive, not an instruction", kAllowed);
    }
    return std::nullopt;
  }

  // Operators that LLVM evaluates without care: it divides by zero, and the smallest number by -1.
  // Some of their signs are parts of names, in some syntax.
  std::optional<TextError> CheckOperators() const {
    const Rules& rules = *llvm_.rules;
    const bool att = rules.has_att_syntax && llvm_.description.syntax == Syntax::kAtt;
    const bool intel = rules.has_att_syntax && !att;
    for (std::size_t i = 1; i < tokens_.size(); ++i) {
      const AsmToken& token = tokens_[i];
      const bool name_follows = i + 1 < tokens_.size() && tokens_[i + 1].is(AsmToken::Identifier);
      if (token.is(AsmToken::Equal) && rules.equal_is_pool) {
        return Refuse(token, TextErrorKind::kNotAllowed,
                      "a literal pool would put data behind the code",
                      "load the value with mov and movk");
      }
      if (token.is(AsmToken::Percent) && intel && name_follows) {
        return Refuse(token, TextErrorKind::kSyntax,
                      fmt::format("'%{}' is AT&T syntax", tokens_[i + 1].getString().str()),
                      "say --syntax att, or write it without %");
      }
      const bool division =
          (token.is(AsmToken::Slash) && !(rules.slash_is_a_part && name_follows)) ||
          (token.is(AsmToken::Percent) && !(att && name_follows)) ||
          (intel && token.is(AsmToken::Identifier) && token.getString().equals_insensitive("mod"));
      if (division) {
        return Refuse(token, TextErrorKind::kNotAllowed,
                      fmt::format("'{}' is not allowed in an expression", token.getString().str()),
                      "write the value itself");
      }
      if (token.is(AsmToken::BigNum)) {
        return Refuse(token, TextErrorKind::kSyntax, "this number has more than 64 bits");
      }
    }
    return std::nullopt;
  }

  // LLVM's parser of Intel syntax crashes on a bracket that is not closed.
  std::optional<TextError> CheckBrackets() const {
    std::vector<const AsmToken*> open;
    for (const AsmToken& token : tokens_) {
      switch (token.getKind()) {
        case AsmToken::LBrac:
        case AsmToken::LParen:
        case AsmToken::LCurly:
          open.push_back(&token);
          break;
        case AsmToken::RBrac:
        case AsmToken::RParen:
        case AsmToken::RCurly:
          if (open.empty() || !Closes(*open.back(), token)) return Unbalanced(token);
          open.pop_back();
          break;
        default:
          break;
      }
    }
    return open.empty() ? std::nullopt : Unbalanced(*open.back());
  }

  static bool Closes(const AsmToken& open, const AsmToken& close) {
    return (open.is(AsmToken::LBrac) && close.is(AsmToken::RBrac)) ||
           (open.is(AsmToken::LParen) && close.is(AsmToken::RParen)) ||
           (open.is(AsmToken::LCurly) && close.is(AsmToken::RCurly));
  }

  std::optional<TextError> Unbalanced(const AsmToken& bracket) const {
    return Refuse(bracket, TextErrorKind::kSyntax,
                  fmt::format("this '{}' has no partner", bracket.getString().str()));
  }

  const Llvm& llvm_;
  std::string_view text_;
  std::vector<AsmToken> tokens_;
};

std::optional<TextError> CheckSize(std::string_view text) {
  if (text.size() > kMaxTextBytes) {
    return ErrorAt(
        {}, 0, TextErrorKind::kTooLong,
        fmt::format("the text has {} bytes, and at most {} are read", text.size(), kMaxTextBytes));
  }
  const std::size_t zero = text.find('\0');
  if (zero != std::string_view::npos) {
    return ErrorAt(text, zero, TextErrorKind::kNotAllowed, "the text holds a zero byte");
  }
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find_first_of("\n;", start), text.size());
    if (end - start > kMaxStatementBytes) {
      return ErrorAt(text, start, TextErrorKind::kTooLong,
                     fmt::format("a statement of {} bytes; at most {} are read", end - start,
                                 kMaxStatementBytes));
    }
    start = end + 1;
  }
  return std::nullopt;
}

}  // namespace

TextError ErrorAt(std::string_view text, std::size_t offset, TextErrorKind kind,
                  std::string message, std::string hint) {
  offset = std::min(offset, text.size());
  const std::size_t line_start = text.substr(0, offset).rfind('\n') + 1;  // npos + 1 is 0
  const std::string_view rest = text.substr(line_start);
  const auto lines_before = std::ranges::count(text.substr(0, line_start), '\n');
  return {.kind = kind,
          .message = std::move(message),
          .hint = std::move(hint),
          .line = static_cast<std::size_t>(lines_before) + 1,
          .column = offset - line_start + 1,
          .source = std::string(rest.substr(0, rest.find('\n'))),
          .features = {}};
}

std::optional<TextError> Scan(const Llvm& llvm, std::string_view text) {
  if (auto error = CheckSize(text)) return error;
  // The parser's own lexer, so that both agree on what is a comment, a string or a separator.
  llvm::AsmLexer lexer(*llvm.asm_info);
  lexer.setBuffer(text);
  std::vector<AsmToken> tokens;
  while (true) {
    const AsmToken& token = lexer.Lex();
    if (token.is(AsmToken::EndOfStatement) || token.is(AsmToken::Eof)) {
      if (auto error = Statement(llvm, text, std::move(tokens)).Check()) return error;
      tokens.clear();
      if (token.is(AsmToken::Eof)) return std::nullopt;
    } else if (!IsSpace(token)) {
      tokens.push_back(token);
    }
  }
}

}  // namespace cyclescope::assembler
