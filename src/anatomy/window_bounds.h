// Which sizes are bounds only: a filler has entries of several windows, and the one that ends first
// ends the overlap.
#pragma once

#include <span>
#include <vector>

#include "arch/window_code.h"
#include "cyclescope/result/anatomy.h"

namespace cyclescope::anatomy {

// `rows` are those of the fillers, in their order. Marks those in which another window of the
// filler's ends at the same number of fillers, and says which; and those of the reorder buffer that
// hold clearly fewer than another of its fillers.
void MarkBounds(std::span<const arch::WindowFiller> fillers, std::vector<AnatomyRow>& rows);

// Marks sizes of which it is not known whether they are those of the whole core: it holds at least
// as much.
void MarkOneSize(std::vector<AnatomyRow>& rows);
// Sizes that were seen while the core was shared alone are those of a part: the core holds at least
// as much. To be called last, since bounds tell nothing of other rows.
void MarkParts(std::vector<AnatomyRow>& rows);
// Marks what `nop` show of a window that holds clearly fewer of all other fillers: several of them
// have one entry there. To be called when bounds are marked.
void MarkNops(std::span<const arch::WindowFiller> fillers, std::vector<AnatomyRow>& rows);

}  // namespace cyclescope::anatomy
