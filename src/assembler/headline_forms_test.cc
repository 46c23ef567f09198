// The texts that `survey` measures are instructions of the architecture they are listed for.
#include "arch/headline_forms.h"

#include <gtest/gtest.h>

#include <set>

#include "arch/architecture.h"
#include "assembler/test_support.h"

namespace cyclescope::assembler {
namespace {

// A CPU of this build's architecture that has everything.
Assembler MakeRichAssembler() {
  if (arch::Name() == "aarch64")
    return Make(Architecture::kAArch64, "neoverse-v2", {"+aes", "+sha2"});
  return Make(Architecture::kX86_64, "sapphirerapids");
}

TEST(HeadlineForms, EachIsOneInstruction) {
  Assembler assembler = MakeRichAssembler();
  for (const arch::HeadlineForm& form : arch::HeadlineForms()) ParseOne(assembler, form.text);
}

TEST(HeadlineForms, EachSnippetAssembles) {
  Assembler assembler = MakeRichAssembler();
  for (const auto& [text, code, _] : arch::HeadlineSnippets()) {
    const auto assembled = assembler.Assemble(code.empty() ? text : code);
    ASSERT_TRUE(assembled.has_value()) << text << ": " << assembled.error().message;
    EXPECT_FALSE(assembled->instructions.empty()) << text;
  }
}

// A call, its return and the jump over the callee must not crowd a few bytes: that would show what
// such a crowd costs.
TEST(HeadlineForms, CallAndReturnStandApart) {
  if (arch::Name() != "x86_64") GTEST_SKIP() << "seen on x86-64 only";
  Assembler assembler = MakeRichAssembler();
  for (const auto& [text, code, _] : arch::HeadlineSnippets()) {
    if (!text.starts_with("call")) continue;
    const auto assembled = assembler.Assemble(code);
    ASSERT_TRUE(assembled.has_value());
    EXPECT_GE(assembled->bytes.size(), 128u);
    EXPECT_LE(text.size(), 66u) << "a line of the survey has 80 columns";
    return;
  }
  ADD_FAILURE() << "no call";
}

TEST(HeadlineForms, NoneIsListedTwice) {
  std::set<std::string_view> texts;
  for (const arch::HeadlineForm& form : arch::HeadlineForms())
    EXPECT_TRUE(texts.insert(form.text).second) << form.text;
}

// A page shows each heading once.
TEST(HeadlineForms, FormsOfOneHeadingStandTogether) {
  std::set<std::string_view> headings;
  std::string_view last;
  for (const arch::HeadlineForm& form : arch::HeadlineForms()) {
    if (form.heading == last) continue;
    EXPECT_TRUE(headings.insert(form.heading).second) << form.heading;
    last = form.heading;
  }
}

TEST(HeadlineForms, WhatACpuLacksIsTold) {
  Assembler poor = arch::Name() == "aarch64" ? Make(Architecture::kAArch64, "cortex-a53")
                                             : Make(Architecture::kX86_64, "x86-64");
  int missing = 0;
  for (const arch::HeadlineForm& form : arch::HeadlineForms()) {
    const auto parsed = poor.Parse(form.text);
    if (parsed) continue;
    EXPECT_EQ(parsed.error().kind, TextErrorKind::kNeedsFeature) << form.text;
    ++missing;
  }
  EXPECT_GT(missing, 5);
}

}  // namespace
}  // namespace cyclescope::assembler
