// The journal of a sweep or of many snippets: rows as they come, so that nothing measured is lost
// when the program is killed.
//
// It is text, an object a line. The first is a result document without rows: it says which machine
// and which build the rows belong to. Each of the others is a row, or a document without rows again
// that has the port map which later rows rest on, or other parts of a model. When all that was
// asked for is measured, a line says so. Lines are only ever appended, so that only the last can be
// torn.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cyclescope/base/error.h"
#include "cyclescope/result/document.h"

namespace cyclescope {

// Both with their line break. `document`'s rows are left out.
std::string JournalHeader(const Document& document);
std::string JournalLine(const Document& document);
std::string JournalLine(const InstructionRow& row);
std::string JournalLine(const BlockRow& row);

// Which rows are of the same thing.
std::string JournalKey(const InstructionRow& row);
std::string JournalKey(const BlockRow& row);

// The line that stands behind the last row when all that was asked for is measured.
std::string JournalEnd();

struct Journal {
  // Header and rows, each opcode or snippet once: the last row of one counts.
  Document document;
  std::size_t size = 0;  // bytes up to the end of the last whole line
};

// A torn last line is left out.
Result<Journal> ParseJournal(std::string_view text, std::string_view file_name);

// What of a journal can be told without reading its rows.
struct JournalSkim {
  Document head;
  bool has_rows = false;
  bool is_complete = false;  // nothing stands behind its end
};
Result<JournalSkim> SkimJournal(std::string_view text, std::string_view file_name);

// Checks that rows measured now may join those of the journal: the machine, the build and what
// is measured of each form must be the same. The error says what is not.
Result<void> CheckContinues(const Document& now, const Document& journal,
                            std::string_view file_name);

// True if a document has a row for each opcode or snippet that a journal has rows of.
bool HasAllRows(const Document& document, const Document& journal);

}  // namespace cyclescope
