// The innermost loops of a compiler's file, from the control-flow graph of its functions.
#pragma once

#include <span>
#include <vector>

#include "assembler/listing.h"
#include "assembler/listing_line.h"

namespace cyclescope::assembler {

// A loop's text holds all of its blocks, wherever they stand in the file, in the file's order:
// bodies with several ways, edges back from several places, parts in a section of cold code. It
// begins with what every way into the loop leads to. Where the file's order is broken, jumps are
// put in; ways out lead to labels that the text does not define.
std::vector<Region> LoopsOf(std::span<const ListingLine> lines, const Rules& rules);

}  // namespace cyclescope::assembler
