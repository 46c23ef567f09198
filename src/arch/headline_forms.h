// Forms of an instruction set that have a use of their own: the few that stand for all of it, which
// `survey` measures, by what they stand for; those of a map of ports; those that a sweep leaves
// out. They are texts as a user would type them (on x86-64 in Intel syntax); a CPU need not have
// all of them.
#pragma once

#include <span>
#include <string_view>

namespace cyclescope::arch {

struct HeadlineForm {
  std::string_view heading;  // "integer", "divide"; forms of one heading stand together
  std::string_view text;     // one instruction
  // What people call it, of the few that stand for a machine at a glance: "FP add".
  std::string_view known_as = {};
};

std::span<const HeadlineForm> HeadlineForms();

// What takes more than one instruction to see: branches, calls, a load of what was just stored.
struct HeadlineSnippet {
  std::string_view text;           // for people
  std::string_view code = {};      // what is measured; empty where it is the text
  std::string_view known_as = {};  // as of a form; it becomes the row's name
};

std::span<const HeadlineSnippet> HeadlineSnippets();

// Forms of one µop as far as is known, of as many kinds as there are, and registers that nothing
// else needs: those that a map of the core's ports is made of. The first takes a slot and no port.
// The first of a kind stands in many mixes, so it should go with any other instruction: on x86-64
// no wide vectors, which slow legacy SSE down.
std::span<const std::string_view> PortForms();

// Forms whose opcode has another one in a sweep, which has one form for each, and which take
// another time than that one.
std::span<const std::string_view> FormVariants();

}  // namespace cyclescope::arch
