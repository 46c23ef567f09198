#include "serve/prepared_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cyclescope::serve {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Compilers kCompilers = {.found = {{.id = "gcc", .name = "gcc", .path = "/usr/bin/gcc"}},
                              .why_none = ""};

Preparation With(sandbox::ConfinedResult result, const Compilers& compilers = kCompilers) {
  return {.compilers = &compilers,
          .run = [result](const sandbox::ConfinedProgram&, const std::function<bool()>&)
              -> Result<sandbox::ConfinedResult> { return result; },
          .architecture = "x86_64"};
}

// Of two functions, with a loop each.
constexpr char kAssembly[] =
    "\t.intel_syntax noprefix\n\t.text\n\t.type\tf, @function\nf:\n\t.file 1 \"<stdin>\"\n"
    "\t.loc 1 1 5\n\txor\teax, eax\n.L3:\n\t.loc 1 3 5\n\tadd\trax, rdi\n\t.loc 1 2 5\n"
    "\tdec\trsi\n\tjne\t.L3\n\tret\n\t.type\tg, @function\ng:\n.L5:\n\t.loc 1 9 5\n"
    "\timul\trax, rdi\n\tdec\trsi\n\tjne\t.L5\n\tret\n";

TEST(PreparedCode, LoopsOfASourceHaveItsLines) {
  const Code code = {.language = Language::kC, .text = "...", .compiler = "gcc"};
  const PreparedCode prepared = Prepare(code, With({.output = kAssembly}), {});
  EXPECT_EQ(prepared.trouble, "");
  ASSERT_EQ(prepared.loops.size(), 2U);
  EXPECT_THAT(prepared.loops[0].lines, ElementsAre(2, 3));
  EXPECT_THAT(prepared.loops[1].lines, ElementsAre(9));
  EXPECT_FALSE(prepared.att_syntax);
  EXPECT_FALSE(prepared.shown.empty());
}

TEST(PreparedCode, TheCursorChoosesTheLoop) {
  Code code = {.language = Language::kC, .text = "...", .compiler = "gcc"};
  const PreparedCode prepared = Prepare(code, With({.output = kAssembly}), {});
  for (const auto& [line, loop] :
       {std::pair{0, 0U}, {1, 0U}, {3, 0U}, {6, 0U}, {9, 1U}, {20, 1U}}) {
    code.line = line;
    EXPECT_EQ(ChooseLoop(prepared, code), loop) << line;
  }
  code.line = 1;
  code.loop = 1;
  EXPECT_EQ(ChooseLoop(prepared, code), 1U);
  code.loop = 7;  // the text has changed since
  EXPECT_EQ(ChooseLoop(prepared, code), 0U);
  EXPECT_FALSE(ChooseLoop(PreparedCode{}, code));
}

TEST(PreparedCode, AssemblyIsASnippetOrAListing) {
  const PreparedCode snippet = Prepare({.text = "\nadd rax, rbx\n\nnop\n"}, With({}), {});
  ASSERT_EQ(snippet.loops.size(), 1U);
  EXPECT_THAT(snippet.loops[0].lines, ElementsAre(2, 4));
  const PreparedCode listing = Prepare({.text = kAssembly}, With({}), {});
  ASSERT_EQ(listing.loops.size(), 2U);
  EXPECT_THAT(listing.loops[0].lines, ElementsAre(8, 10, 12, 13));
  EXPECT_THAT(Prepare({.text = " \n"}, With({}), {}).trouble, HasSubstr("no instruction"));
  EXPECT_THAT(Prepare({.text = "\t.text\n\tret\n"}, With({}), {}).trouble, HasSubstr("no loop"));
}

TEST(PreparedCode, WhatIsWrongWithALoopStandsAtTheLineOfTheEditor) {
  PreparedCode snippet = Prepare({.text = "nop\nnonsense\n"}, With({}), {});
  AddProblems({}, snippet);
  EXPECT_EQ(snippet.trouble, "");
  AddProblems({{.line = 2, .column = 3, .message = "no such thing", .hint = "another?"}}, snippet);
  EXPECT_THAT(snippet.trouble, HasSubstr("not assembly"));
  ASSERT_EQ(snippet.messages.size(), 1U);
  EXPECT_EQ(snippet.messages[0].line, 2);
  EXPECT_EQ(snippet.messages[0].column, 3);
  EXPECT_EQ(snippet.messages[0].text, "no such thing; another?");

  const Code code = {.language = Language::kC, .text = "...", .compiler = "gcc"};
  PreparedCode source = Prepare(code, With({.output = kAssembly}), {});
  // The listing's tenth line is the third of the source; its fourth is of none.
  AddProblems({{.line = 10, .column = 5, .message = "a"}, {.line = 4, .message = "b"}}, source);
  ASSERT_EQ(source.messages.size(), 2U);
  EXPECT_EQ(source.messages[0].line, 3);
  EXPECT_EQ(source.messages[1].line, 0);
}

TEST(PreparedCode, AFileWithoutItsSyntaxHasTheOneThatItIsWrittenIn) {
  const std::string intel = "\t.text\nf:\n.L1:\n\tdec rdi\n\tjne .L1\n\tret\n";
  EXPECT_FALSE(Prepare({.text = intel}, With({}), {}).att_syntax);
  EXPECT_TRUE(Prepare({.att_syntax = true, .text = intel}, With({}), {}).att_syntax);
  const std::string att = "\t.text\nf:\n.L1:\n\tdec %rdi\n\tjne .L1\n\tret\n";
  EXPECT_TRUE(Prepare({.text = att}, With({}), {}).att_syntax);
  EXPECT_FALSE(
      Prepare({.att_syntax = true, .text = "\t.intel_syntax noprefix\n" + intel}, With({}), {})
          .att_syntax);
}

TEST(PreparedCode, SaysWhyThereIsNothingToMeasure) {
  const Code code = {.language = Language::kC, .text = "...", .compiler = "gcc"};
  const PreparedCode wrong =
      Prepare(code, With({.exit_status = 1, .errors = "<stdin>:4:2: error: what\n"}), {});
  EXPECT_THAT(wrong.trouble, HasSubstr("refuses"));
  ASSERT_EQ(wrong.messages.size(), 1U);
  EXPECT_EQ(wrong.messages[0].line, 4);
  const Compilers none = {.found = {}, .why_none = "neither gcc nor clang is installed"};
  EXPECT_THAT(Prepare(code, With({}, none), {}).trouble, HasSubstr("installed"));
  Code other = code;
  other.compiler = "../../bin/sh";
  EXPECT_THAT(Prepare(other, With({}), {}).trouble, HasSubstr("no compiler"));
  EXPECT_THAT(Prepare(code, With({.output = "\t.text\nf:\n\tret\n"}), {}).trouble,
              HasSubstr("left no loop"));
}

}  // namespace
}  // namespace cyclescope::serve
