// Texts of requests, each read once: what CheckTexts made of one, the call that measures it finds
// here, with the assembler that read it.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "assembler/assembler.h"
#include "cyclescope/measure.h"

namespace cyclescope::library {

// What texts were read as.
class ReadTexts {
 public:
  const assembler::TextResult<std::vector<assembler::Instruction>>& Parse(
      assembler::Assembler& assembler, const std::string& text);
  const assembler::TextResult<assembler::Snippet>& Assemble(assembler::Assembler& assembler,
                                                            const std::string& text);

 private:
  std::map<std::string, assembler::TextResult<std::vector<assembler::Instruction>>> instructions_;
  std::map<std::string, assembler::TextResult<assembler::Snippet>> snippets_;
};

struct Reader {
  assembler::Assembler assembler;
  ReadTexts texts = {};
};

}  // namespace cyclescope::library

namespace cyclescope {

class TextReader {
 public:
  // Unset where nothing was read in that syntax, or another call has it.
  std::optional<library::Reader> Take(assembler::Syntax syntax);
  void Keep(library::Reader reader);

 private:
  std::mutex mutex_;
  std::optional<library::Reader> kept_;
};

}  // namespace cyclescope
