// Where a compiler's file lets code begin in its line of 64 bytes. Compilers align functions and
// loops to less than a line, so that a linker decides about the rest; how fast a loop is may depend
// on it. A function is laid out as an assembler does it, with its own alignments.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "assembler/listing_line.h"
#include "assembler/target.h"

namespace cyclescope::assembler {

// Bytes of what a core fetches at once, or keeps decoded under one address, at most.
inline constexpr int kCodeLine = 64;

// A function, and an instruction of it.
struct CodeSpot {
  std::size_t function = 0;     // the line of its label
  std::size_t instruction = 0;  // a line
};

// For each: at which bytes of its line it may begin, sorted; empty where that is not known.
std::vector<std::vector<int>> PlacesInLine(std::span<const ListingLine> lines,
                                           std::span<const CodeSpot> spots,
                                           Architecture architecture, Syntax syntax);

}  // namespace cyclescope::assembler
