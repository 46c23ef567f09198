#include "document/json_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/claims.h"
#include "analysis/core_words.h"
#include "analysis/document_claims.h"
#include "analysis/memory_words.h"
#include "cyclescope/result/names.h"
#include "document/json_text.h"

namespace cyclescope {
namespace {

template <typename T>
bool SaysNothing(const T& value) {
  return value == T{};
}
template <typename T>
bool SaysNothing(const std::vector<T>& values) {
  return values.empty();
}
template <typename T>
bool SaysNothing(const std::optional<T>& value) {
  return !value.has_value();
}
bool SaysNothing(const PairMatrix& matrix) { return matrix.size() == 0; }

// Visits descriptions (result/describe.h) and appends values to a text. There is no JSON tree in
// between: six matrices for 768 CPUs would take 16 bytes for each of 3.5 million values, only to be
// thrown away.
class Writer {
 public:
  using TakePiece = std::function<void(std::string_view)>;

  // With `take_piece`, what was appended is handed over from time to time.
  explicit Writer(std::string& text, TakePiece take_piece = nullptr)
      : text_(text), take_piece_(std::move(take_piece)) {}

  void Struct(std::string_view /*name*/, std::string_view /*sentence*/) {}

  template <typename T>
  void Required(std::string_view key, const T& value, std::string_view /*sentence*/,
                FieldFacts facts = {}) {
    Key(key, std::same_as<T, PairMatrix> ? "\n     " : depth_ == 0 ? "\n " : "");
    Write(value, facts);
  }

  template <typename T>
  void Always(std::string_view key, const T& value, std::string_view sentence,
              FieldFacts facts = {}) {
    Required(key, value, sentence, facts);
  }

  template <typename T>
  void Optional(std::string_view key, const T& value, std::string_view sentence,
                FieldFacts facts = {}) {
    if (!SaysNothing(value)) Required(key, value, sentence, facts);
  }

  void Beside(std::string_view key, const Estimate& estimate, std::string_view sentence) {
    Required(key, estimate.value, sentence);
    DescribeUncertainty(*this, estimate);
  }

  void Beside(std::string_view key, const std::optional<Estimate>& estimate,
              std::string_view sentence) {
    if (estimate) Beside(key, *estimate, sentence);
  }

  template <typename T>
  void Write(const T& value, FieldFacts facts = {}) {
    if constexpr (std::same_as<T, bool>) {
      text_ += value ? "true" : "false";
    } else if constexpr (std::integral<T>) {
      fmt::format_to(end(), "{}", value);
    } else if constexpr (std::same_as<T, double>) {
      // Six digits: ten times finer than the best measurement here, and a third of the text that
      // all digits of a double take.
      facts.exact ? WriteNumber(value, "{}") : WriteNumber(value, "{:.6g}");
    } else if constexpr (Named<T>) {
      WriteText(ToString(value));
    } else if constexpr (std::convertible_to<T, std::string_view>) {
      WriteText(value);
    } else {
      text_ += '{';
      ++depth_;
      DescribeInWords(value);
      --depth_;
      text_ += '}';
    }
  }

  template <typename T>
  void Write(const std::optional<T>& value, FieldFacts facts = {}) {
    Write(*value, facts);
  }

  // One row stands on one line.
  template <typename T>
  void Write(const std::vector<T>& values, FieldFacts /*facts*/ = {}) {
    text_ += '[';
    for (const T& value : values) {
      if (&value != values.data()) text_ += ',';
      if (depth_ == 0) {
        HandOver();
        text_ += "\n  ";
      }
      Write(value);
    }
    text_ += ']';
  }

  void Write(const std::pair<int, int>& pair) {
    fmt::format_to(end(), "[{},{}]", pair.first, pair.second);
  }

  void Write(const PairMatrix& matrix, FieldFacts facts = {}) {
    text_ += '[';
    for (std::size_t row = 0; row < matrix.size(); ++row) {
      HandOver();
      text_ += row == 0 ? "\n      [" : ",\n      [";
      for (std::size_t column = 0; column < matrix.size(); ++column) {
        if (column != 0) text_ += ',';
        // Five digits: a picosecond in a hundred nanoseconds.
        const double value = matrix.At(row, column);
        facts.spread ? WriteNumber(value, "{:.3g}") : WriteNumber(value, "{:.5g}");
      }
      text_ += ']';
    }
    text_ += ']';
  }

  // Of a whole document, whose braces are the caller's.
  void WriteFields(const Document& document) {
    Describe(*this, document);
    if (document.highlights.empty()) Optional("highlights", Highlights(document), "");
    if (document.claims.empty()) Optional("claims", ClaimsOf(document), "");
  }

 private:
  template <typename T>
  void DescribeInWords(const T& value) {
    Describe(*this, value);
  }

  // What is said of a matrix is made from its figures as it is written.
  void DescribeInWords(const CoreMatrix& matrix) {
    matrix_ = &matrix;
    Describe(*this, matrix);
    if (matrix.structure.empty()) Optional("structure", StructureText(matrix), "");
  }

  void DescribeInWords(const MemoryRow& row) {
    Describe(*this, row);
    if (!row.claims.empty()) return;
    MemoryRow worded;
    for (Claim& claim : ClaimsOf(row)) AddNote(std::move(claim), worded);
    Optional("claims", worded.claims, "");
    Optional("notes", worded.notes, "");
  }

  void DescribeInWords(const CoreFinding& finding) {
    CoreFinding worded = finding;
    worded.text = FindingText(*matrix_, finding);
    worded.claim = ClaimOf(*matrix_, finding);
    Describe(*this, std::as_const(worded));
  }

  void DescribeInWords(const MemoryFinding& finding) {
    MemoryFinding worded = finding;
    worded.text = FindingText(finding);
    worded.claim = ClaimOf(finding);
    Describe(*this, std::as_const(worded));
  }

  // Not the last character, by which Key sees where it is.
  void HandOver() {
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    if (take_piece_ == nullptr || text_.size() < kPiece) return;
    take_piece_(std::string_view(text_).substr(0, text_.size() - 1));
    text_.erase(0, text_.size() - 1);
  }

  std::back_insert_iterator<std::string> end() { return std::back_inserter(text_); }

  void Key(std::string_view key, std::string_view line_break) {
    if (text_.back() != '{') text_ += ',';
    text_ += line_break;
    text_ += '"';
    text_ += key;
    text_ += "\":";
  }

  void WriteNumber(double value, fmt::format_string<double&> format) {
    if (std::isfinite(value)) {
      fmt::format_to(end(), format, value);
    } else {
      text_ += "null";
    }
  }

  void WriteText(std::string_view text) {
    const bool is_plain = std::ranges::all_of(
        text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
    if (!is_plain) {
      text_ += Dump(text);
      return;
    }
    text_ += '"';
    text_ += text;
    text_ += '"';
  }

  std::string& text_;
  TakePiece take_piece_;
  int depth_ = 0;                       // 0: the document's own fields
  const CoreMatrix* matrix_ = nullptr;  // whose findings are written
};

}  // namespace

void WriteJson(const Document& document, const std::function<void(std::string_view)>& take_piece) {
  std::string text = fmt::format("{{\"schema\":\"{}\"", kSchema);
  Writer writer(text, take_piece);
  writer.WriteFields(document);
  text += "}\n";
  take_piece(text);
}

std::string ToJson(const Document& document) {
  std::string text;
  // A row of a sweep takes about this much. A text that grows is there twice while it does.
  constexpr std::size_t kBytesPerRow = 2500;
  text.reserve(kBytesPerRow * document.instructions.size());
  WriteJson(document, [&text](std::string_view piece) { text += piece; });
  return text;
}

std::string ToJsonLine(const InstructionRow& row) {
  std::string text;
  Writer(text).Write(row);
  return text;
}

std::string ToJsonLine(const BlockRow& row) {
  std::string text;
  Writer(text).Write(row);
  return text;
}

std::string ToJsonLine(const Document& document) {
  std::string text = ToJson(document);
  std::erase(text, '\n');  // those inside of texts are escaped
  return text;
}

}  // namespace cyclescope
