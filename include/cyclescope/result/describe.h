// How the structs of the result document describe their fields: once, beside the struct.
//
//   void Describe(auto& visit, Of<Warning> auto& warning) {
//     visit.Struct("Warning", "Something that makes the numbers less than they should be.");
//     visit.Required("code", warning.code, "Short and stable.");
//     visit.Optional("hint", warning.hint, "The next step.");
//   }
//
// Whatever deals with all fields is a visitor: the writer and the reader of JSON (src/document),
// the JSON Schema in docs/schema (printed by tests/schema) and, from that, the page's types. A new
// field is a line here and nothing elsewhere. A visitor has these functions; each takes the field's
// name in JSON, the member, and a sentence that says what it is and, where the name does not, in
// which unit:
//
//   Required   always written; a document without it is refused
//   Always     always written; where it is missing, the member keeps its default
//   Optional   left out where it says nothing: false, empty, none
//   Beside     an Estimate that has no object of its own: its value takes the name, and its other
//              fields stand beside it
#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>

namespace cyclescope {

// Const for writers, not for readers.
template <typename T, typename Struct>
concept Of = std::same_as<std::remove_const_t<T>, Struct>;

struct FieldFacts {
  bool exact = false;              // a count or a rate: written with all its digits, not with six
  bool spread = false;             // how far values lie apart: three digits say all there is
  std::string_view since = "0.1";  // the version of cyclescope that wrote it first
};

}  // namespace cyclescope
