#include "report/headline_rows.h"

#include <algorithm>
#include <functional>
#include <iterator>

namespace cyclescope {

bool IsHeadline(const InstructionRow& row) {
  return row.origin == "headline" || (row.origin.empty() && !row.heading.empty());
}

std::vector<InstructionRow> HeadlineRows(const Document& document) {
  std::vector<InstructionRow> rows;
  std::ranges::copy_if(document.instructions, std::back_inserter(rows), IsHeadline);
  return rows;
}

std::vector<InstructionRow> OtherRows(const Document& document) {
  std::vector<InstructionRow> rows;
  std::ranges::copy_if(document.instructions, std::back_inserter(rows), std::not_fn(IsHeadline));
  return rows;
}

}  // namespace cyclescope
