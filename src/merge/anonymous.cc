#include "merge/anonymous.h"

#include <algorithm>
#include <cctype>
#include <concepts>
#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cyclescope/result/names.h"

namespace cyclescope::merge {
namespace {

// Visits descriptions (result/describe.h) for their texts.
class TextVisitor {
 public:
  explicit TextVisitor(const std::function<void(std::string&)>& change) : change_(change) {}

  void Struct(std::string_view /*name*/, std::string_view /*sentence*/) {}

  template <typename T>
  void Required(std::string_view /*key*/, T& value, std::string_view /*sentence*/,
                FieldFacts /*facts*/ = {}) {
    Visit(value);
  }
  template <typename T>
  void Always(std::string_view key, T& value, std::string_view sentence, FieldFacts facts = {}) {
    Required(key, value, sentence, facts);
  }
  template <typename T>
  void Optional(std::string_view key, T& value, std::string_view sentence, FieldFacts facts = {}) {
    Required(key, value, sentence, facts);
  }
  void Beside(std::string_view /*key*/, Estimate& estimate, std::string_view /*sentence*/,
              FieldFacts /*facts*/ = {}) {
    DescribeUncertainty(*this, estimate);
  }
  void Beside(std::string_view key, std::optional<Estimate>& estimate, std::string_view sentence,
              FieldFacts facts = {}) {
    if (estimate) Beside(key, *estimate, sentence, facts);
  }

  template <typename T>
  void Visit(T& value) {
    if constexpr (std::same_as<T, std::string>) {
      change_(value);
    } else if constexpr (!std::is_arithmetic_v<T> && !std::is_enum_v<T> &&
                         !std::same_as<T, PairMatrix> && !std::same_as<T, std::pair<int, int>>) {
      Describe(*this, value);
    }
  }
  template <typename T>
  void Visit(std::optional<T>& value) {
    if (value) Visit(*value);
  }
  template <typename T>
  void Visit(std::vector<T>& values) {
    for (T& value : values) Visit(value);
  }

 private:
  const std::function<void(std::string&)>& change_;
};

constexpr std::string_view kReplacement = "(left out)";

bool IsNameLetter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
}

// Names of folders have letters of any language, and more signs than names of hosts.
bool IsPathLetter(char c) {
  return IsNameLetter(c) || static_cast<unsigned char>(c) >= 0x80 ||
         std::string_view(".+@%~=").contains(c);
}

// Behind a host's name, the domain that it stands in: ".example.org". A full stop ends a sentence.
std::size_t DomainEnd(std::string_view text, std::size_t at) {
  while (at + 1 < text.size() && text[at] == '.' && IsNameLetter(text[at + 1])) {
    ++at;
    while (at < text.size() && IsNameLetter(text[at])) ++at;
  }
  return at;
}

// Whole words alone: a host may be called "a".
void ReplaceName(const std::string& name, std::string& text) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
    const std::size_t end = at + name.size();
    const bool is_word = (at == 0 || !IsNameLetter(text[at - 1])) &&
                         (end == text.size() || !IsNameLetter(text[end]));
    if (is_word) text.replace(at, DomainEnd(text, end) - at, kReplacement);
    at += is_word ? kReplacement.size() : name.size();
  }
}

// Where a path of two folders or more begins at this place, its length: "/home/her",
// "C:\Users\her", "\\server\her", "~/her". One that stands in quotes ends with them, and may hold
// spaces.
std::size_t PathLength(std::string_view text, char before) {
  constexpr std::string_view kSeparators = "/\\";
  std::size_t begin = 0;
  if (text.size() > 2 && std::isalpha(static_cast<unsigned char>(text[0])) != 0 && text[1] == ':')
    begin = 2;
  if (text.starts_with("~/")) begin = 1;
  if (begin >= text.size() || !kSeparators.contains(text[begin])) return 0;
  const bool is_quoted = std::string_view("'\"`").contains(before);
  const std::size_t quote = is_quoted ? text.find(before) : std::string_view::npos;
  std::size_t end = begin;
  while (end < text.size() && end != quote &&
         (quote != std::string_view::npos || IsPathLetter(text[end]) ||
          kSeparators.contains(text[end])))
    ++end;
  const std::string_view path = text.substr(begin, end - begin);
  const bool has_name = std::ranges::any_of(path, IsPathLetter);
  return has_name && (begin > 0 || std::ranges::count_if(
                                       path, [&](char c) { return kSeparators.contains(c); }) > 1)
             ? end
             : 0;
}

void ReplacePaths(std::string& text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char before = at > 0 ? text[at - 1] : ' ';
    if (IsNameLetter(before) || before == '.' || before == '/') continue;
    const std::size_t length = PathLength(std::string_view(text).substr(at), before);
    if (length == 0) continue;
    text.replace(at, length, kReplacement);
    at += kReplacement.size() - 1;
  }
}

// Words that the results themselves consist of: a host may be called "add".
void EraseWordsOfResults(const Document& document, std::set<std::string>& names) {
  for (const InstructionRow& row : document.instructions) {
    for (const std::string* word : {&row.mnemonic, &row.opcode, &row.isa, &row.origin})
      names.erase(*word);
    for (const Latency& latency : row.latency) {
      names.erase(latency.from);
      names.erase(latency.to);
    }
  }
}

// "Linux 6.1.0" of "Linux 6.1.0-43-cloud-amd64": what follows may name who built it.
std::string KernelVersion(const std::string& kernel) {
  const auto end = std::ranges::find_if(kernel, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) == 0 && c != ' ' && c != '.';
  });
  return {kernel.begin(), end};
}

}  // namespace

void ForEachText(Document& document, const std::function<void(std::string&)>& change) {
  TextVisitor visitor(change);
  visitor.Visit(document);
}

Document WithoutNames(Document document) {
  std::set<std::string> names = {document.host.name};
  if (document.engine) names.insert({document.engine->node, document.engine->job});
  names.erase("");
  EraseWordsOfResults(document, names);
  document.source.clear();
  document.host.name.clear();
  document.host.kernel = KernelVersion(document.host.kernel);
  if (document.host.topology_source != "system") document.host.topology_source.clear();
  document.engine.reset();
  document.fleet.reset();
  document.hosts.reset();
  document.config.options.clear();
  document.failure.clear();
  document.doctor.clear();  // for the owner of the machine
  for (GpuRow& row : document.gpu) row.pci.clear();
  for (BlockRow& row : document.blocks) {
    row.side.clear();
    row.source.reset();
    row.function.clear();
  }
  if (document.merged) {
    for (MergedRun& run : document.merged->runs) run.file.clear();
  }
  ForEachText(document, [&names](std::string& text) {
    for (const std::string& name : names) ReplaceName(name, text);
    ReplacePaths(text);
  });
  return document;
}

}  // namespace cyclescope::merge
