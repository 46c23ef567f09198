#include "document/json_skim.h"

#include <algorithm>
#include <cstddef>

namespace cyclescope {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

class Skimmer {
 public:
  Skimmer(std::string_view text, const SkimOptions& options) : text_(text), options_(options) {}

  std::string Run() {
    kept_.reserve(text_.size() / 2);
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        Text();
        continue;
      }
      if (c == '{' || c == '[') ++depth_;
      if (c == '}' || c == ']') --depth_;
      kept_ += c;
      ++at_;
    }
    return std::move(kept_);
  }

 private:
  static bool Has(std::span<const std::string_view> names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
  }

  // Behind the text that begins at `begin`.
  std::size_t EndOfText(std::size_t begin) const {
    for (std::size_t i = begin + 1; i < text_.size(); ++i) {
      if (text_[i] == '\\') {
        ++i;
      } else if (text_[i] == '"') {
        return i + 1;
      }
    }
    return text_.size();
  }

  std::size_t AfterSpace(std::size_t i) const {
    while (i < text_.size() && IsSpace(text_[i])) ++i;
    return i;
  }

  // Behind the value that begins at `begin`.
  std::size_t EndOfValue(std::size_t begin) const {
    int depth = 0;
    for (std::size_t i = begin; i < text_.size();) {
      const char c = text_[i];
      if (c == '"') {
        i = EndOfText(i);
        if (depth == 0) return i;
        continue;
      }
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') {
        if (depth == 0) return i;
        if (--depth == 0) return i + 1;
      }
      if (c == ',' && depth == 0) return i;
      ++i;
    }
    return text_.size();
  }

  // A text, or a field with its value where that is left out. Only the name of a field has a colon
  // behind it.
  void Text() {
    const std::size_t end = EndOfText(at_);
    const std::size_t colon = AfterSpace(end);
    const std::size_t value =
        colon < text_.size() && text_[colon] == ':' ? AfterSpace(colon + 1) : 0;
    if (value == 0 || value >= text_.size()) return Keep(end);
    const std::string_view name = text_.substr(at_ + 1, end - at_ - 2);
    const char first = text_[value];
    if (first == '[' && Has(options_.emptied_lists, name)) {
      Keep(value);
      kept_ += "[]";
      at_ = EndOfValue(value);
      return;
    }
    const bool goes = (depth_ == 1 && Has(options_.sections, name)) ||
                      (first == '[' && Has(options_.lists, name)) ||
                      (first == '"' && Has(options_.texts, name));
    if (!goes) return Keep(value);
    at_ = AfterSpace(EndOfValue(value));
    if (at_ < text_.size() && text_[at_] == ',') {
      ++at_;
      return;
    }
    // It was the last field: the comma before it goes.
    while (!kept_.empty() && IsSpace(kept_.back())) kept_.pop_back();
    if (!kept_.empty() && kept_.back() == ',') kept_.pop_back();
  }

  void Keep(std::size_t end) {
    kept_ += text_.substr(at_, end - at_);
    at_ = end;
  }

  std::string_view text_;
  const SkimOptions& options_;
  std::string kept_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

std::string Skim(std::string_view text, const SkimOptions& options) {
  return Skimmer(text, options).Run();
}

}  // namespace cyclescope
