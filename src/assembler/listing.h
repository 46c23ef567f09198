// Assembly as compilers write it: which parts of it are to be measured.
//
// Marks choose regions: `# LLVM-MCA-BEGIN name` and `# LLVM-MCA-END`, the same with OSACA, and the
// byte marks of IACA and OSACA. Without any, the innermost loops of each function are the regions,
// with those around them that do the same work without them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assembler/assembler.h"
#include "assembler/target.h"

namespace cyclescope::assembler {

struct SourcePlace {
  std::string file;
  int line = 0;
};

// Where a line of a region's text stands in the file.
struct TextPlace {
  int line = 0;    // from 1; 0: it was added
  int column = 0;  // from 1
};

struct Region {
  std::string name;                        // the mark's, or "sum (sum.c:3)", "sum (line 14)"
  std::string text;                        // instructions and labels
  std::vector<JumpTable> tables;           // of the jumps in it that go through one
  std::vector<std::string> avoided_calls;  // on ways through the loop that the text does not have
  // Lines at which loops inside of it begin that the text goes around: a trip does their work in
  // another way.
  std::vector<int> avoided_loops;
  int loop_around = 0;                // where such a loop around it begins; 0: there is none
  bool inside_loop = false;           // another loop is around it
  std::string function;               // that it belongs to; empty where that is not known
  int line = 0;                       // of the file: where it begins
  std::vector<TextPlace> places;      // of the lines of `text`
  std::optional<SourcePlace> source;  // what the compiler's line numbers say of its beginning
};

struct Listing {
  std::vector<Region> regions;
  bool att_syntax = false;
};

// Unset where the text has neither directives nor marks: then it is a snippet as it stands.
std::optional<Listing> ReadListing(std::string_view text, Architecture architecture);

// A loop of a listing, as its region says it.
struct LoopLines {
  std::span<const TextPlace> places;
  std::string_view function;
};

// For each loop of the listing that `text` is: bytes of a line of 64 at which its first instruction
// in the file may begin; empty where that is not known. Takes about a millisecond for each
// function.
std::vector<std::vector<int>> CodeOffsets(std::string_view text, Architecture architecture,
                                          Syntax syntax, std::span<const LoopLines> loops);

}  // namespace cyclescope::assembler
