// A result document as text, for terminals: everything the HTML report says, or
// the page of a survey.
#pragma once

#include <string>

#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"
#include "report/text_style.h"

namespace cyclescope {

struct DocumentTextOptions {
  bool full = false;  // every pair of every instruction with the code measured, every matrix
};

// Without `full`, many instructions are a line each, and a sweep is what became of its opcodes and
// where LLVM's model is wrong.
Result<std::string> DocumentText(const Document& document, const DocumentTextOptions& options,
                                 const TextStyle& style);

// `survey`: what matters about a machine on one page of 80 columns.
std::string SurveyText(const Document& document, const TextStyle& style);

// Markdown, for issues, wikis and commit messages: the machine, and a table each of the
// instructions, the snippets and the latencies between cores that the document holds. Whatever a
// text holds, it stays within its cell.
std::string ToMarkdown(const Document& document);

}  // namespace cyclescope
