// The few forms that stand for a whole instruction set: what `survey` measures, by what they stand
// for. They are texts as a user would type them (on x86-64 in Intel syntax); a CPU need not have
// all of them.
#pragma once

#include <span>
#include <string_view>

namespace cyclescope::arch {

struct HeadlineForm {
  std::string_view heading;  // "integer", "divide"; forms of one heading stand together
  std::string_view text;     // one instruction
};

std::span<const HeadlineForm> HeadlineForms();

// What takes more than one instruction to see: branches, calls, a load of what was just stored.
struct HeadlineSnippet {
  std::string_view text;  // for people
  std::string_view code;  // what is measured; empty where it is the text
};

std::span<const HeadlineSnippet> HeadlineSnippets();

}  // namespace cyclescope::arch
