#include "library/text_reader.h"

#include <memory>
#include <utility>

namespace cyclescope::library {

const assembler::TextResult<std::vector<assembler::Instruction>>& ReadTexts::Parse(
    assembler::Assembler& assembler, const std::string& text) {
  const auto known = instructions_.find(text);
  if (known != instructions_.end()) return known->second;
  return instructions_.emplace(text, assembler.Parse(text)).first->second;
}

const assembler::TextResult<assembler::Snippet>& ReadTexts::Assemble(
    assembler::Assembler& assembler, const std::string& text) {
  const auto known = snippets_.find(text);
  if (known != snippets_.end()) return known->second;
  return snippets_.emplace(text, assembler.Assemble(text)).first->second;
}

}  // namespace cyclescope::library

namespace cyclescope {

std::shared_ptr<TextReader> MakeTextReader() { return std::make_shared<TextReader>(); }

std::optional<library::Reader> TextReader::Take(assembler::Syntax syntax) {
  const std::lock_guard lock(mutex_);
  if (!kept_ || kept_->assembler.target().syntax != syntax) return std::nullopt;
  return std::exchange(kept_, std::nullopt);
}

void TextReader::Keep(library::Reader reader) {
  const std::lock_guard lock(mutex_);
  kept_ = std::move(reader);
}

}  // namespace cyclescope
