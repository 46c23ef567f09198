#include "report/headline_rows.h"

#include <algorithm>

namespace cyclescope {
namespace {

auto FirstWithoutHeading(const Document& document) {
  return std::ranges::find_if(document.instructions,
                              [](const InstructionRow& row) { return row.heading.empty(); });
}

}  // namespace

std::span<const InstructionRow> HeadlineRows(const Document& document) {
  return {document.instructions.begin(), FirstWithoutHeading(document)};
}

std::span<const InstructionRow> RowsWithoutHeading(const Document& document) {
  return {FirstWithoutHeading(document), document.instructions.end()};
}

}  // namespace cyclescope
