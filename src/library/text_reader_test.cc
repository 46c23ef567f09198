#include "library/text_reader.h"

#include <gtest/gtest.h>

#include "arch/architecture.h"
#include "library/code_session.h"
#include "library/document_start.h"

namespace cyclescope::library {
namespace {

std::string AnInstruction() {
  return arch::Name() == "aarch64" ? "mul x0, x1, x2" : "imul rax, rcx";
}

TEST(ReadTexts, ATextIsParsedOnce) {
  auto assembler = CodeSettings{}.MakeAssembler(HostFeatures());
  ASSERT_TRUE(assembler.has_value()) << assembler.error().ToString();
  ReadTexts read;
  const auto& first = read.Parse(*assembler, AnInstruction());
  EXPECT_TRUE(first.has_value());
  EXPECT_EQ(&read.Parse(*assembler, AnInstruction()), &first);
  EXPECT_NE(&read.Parse(*assembler, "nonsense"), &first);
  const auto& snippet = read.Assemble(*assembler, AnInstruction());
  EXPECT_EQ(&read.Assemble(*assembler, AnInstruction()), &snippet);
}

TEST(TextReader, WhatWasCheckedIsNotReadAgain) {
  const InstructionRequest request = {.texts = {AnInstruction()},
                                      .code = {.reader = MakeTextReader()}};
  const auto problems = CheckTexts(request);
  ASSERT_TRUE(problems.has_value() && problems->empty());
  auto kept = request.code.reader->Take(assembler::Syntax::kIntel);
  ASSERT_TRUE(kept.has_value());
  EXPECT_FALSE(request.code.reader->Take(assembler::Syntax::kIntel).has_value());
  request.code.reader->Keep(std::move(*kept));
  EXPECT_TRUE(PlanInstructions(request).has_value());
  EXPECT_FALSE(request.code.reader->Take(assembler::Syntax::kIntel).has_value())
      << "the plan was made with another assembler";
}

TEST(TextReader, AnotherSyntaxIsReadByAnotherAssembler) {
  const BlockRequest request = {.text = AnInstruction(), .code = {.reader = MakeTextReader()}};
  ASSERT_TRUE(CheckTexts(request).has_value());
  EXPECT_FALSE(request.code.reader->Take(assembler::Syntax::kAtt).has_value());
  EXPECT_TRUE(request.code.reader->Take(assembler::Syntax::kIntel).has_value());
}

}  // namespace
}  // namespace cyclescope::library
