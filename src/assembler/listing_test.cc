#include "assembler/listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cyclescope::assembler {
namespace {

using ::testing::IsEmpty;

Listing Read(std::string_view text, Architecture architecture = Architecture::kX86_64) {
  const auto listing = ReadListing(text, architecture);
  EXPECT_TRUE(listing.has_value());
  return listing.value_or(Listing{});
}

TEST(Listing, LeavesSnippetsAlone) {
  EXPECT_FALSE(ReadListing("add rax, rbx\n1: dec rcx\njnz 1b\n", Architecture::kX86_64));
  EXPECT_FALSE(ReadListing("add x0, x0, #1", Architecture::kAArch64));
}

// What gcc -O2 -S makes of a sum over an array.
constexpr std::string_view kSum = R"(	.file	"sum.c"
	.text
	.p2align 4
	.globl	sum
	.type	sum, @function
sum:
.LFB0:
	.cfi_startproc
	testl	%esi, %esi	# n
	jle	.L4
	leaq	(%rdi,%rsi,8), %rax
	.p2align 4,,10
	.p2align 3
.L3:
	addsd	(%rdi), %xmm0
	addq	$8, %rdi
	cmpq	%rax, %rdi
	jne	.L3
	ret
.L4:
	pxor	%xmm0, %xmm0
	ret
	.cfi_endproc
	.section	.note.GNU-stack,"",@progbits
)";

TEST(Listing, FindsTheLoopOfACompilersFile) {
  const Listing listing = Read(kSum);
  EXPECT_TRUE(listing.att_syntax);
  ASSERT_EQ(listing.regions.size(), 1U);
  EXPECT_EQ(listing.regions[0].name, "line 14: .L3 in sum");
  EXPECT_EQ(listing.regions[0].text,
            ".L3:\naddsd	(%rdi), %xmm0\naddq	$8, %rdi\ncmpq	%rax, %rdi\njne	.L3\n");
}

TEST(Listing, TakesInnermostLoopsOnly) {
  const Listing listing = Read(
      "\t.intel_syntax noprefix\n.L1:\nmov rcx, 5\n.L2:\ndec rcx\njnz .L2\ndec rax\njnz .L1\n"
      ".L3:\ndec rdx\njnz .L3\n");
  EXPECT_FALSE(listing.att_syntax);
  ASSERT_EQ(listing.regions.size(), 2U);
  EXPECT_EQ(listing.regions[0].text, ".L2:\ndec rcx\njnz .L2\n");
  EXPECT_EQ(listing.regions[1].text, ".L3:\ndec rdx\njnz .L3\n");
}

TEST(Listing, FollowsMarks) {
  const Listing listing = Read(
      "nop\n# LLVM-MCA-BEGIN first\nadd %rax, %rbx\n# LLVM-MCA-END\nnop\n# OSACA-BEGIN\n"
      "sub %rax, %rbx\n# OSACA-END\n");
  ASSERT_EQ(listing.regions.size(), 2U);
  EXPECT_EQ(listing.regions[0].name, "first");
  EXPECT_EQ(listing.regions[0].text, "add %rax, %rbx\n");
  EXPECT_EQ(listing.regions[1].name, "line 6");
  EXPECT_EQ(listing.regions[1].text, "sub %rax, %rbx\n");
}

TEST(Listing, FollowsByteMarks) {
  const Listing iaca = Read(
      "movl $111, %ebx\n.byte 100,103,144\nadd %rax, %rcx\nmovl $222, %ebx\n.byte 100,103,144\n");
  ASSERT_EQ(iaca.regions.size(), 1U);
  EXPECT_EQ(iaca.regions[0].text, "add %rax, %rcx\n");
  const Listing osaca = Read(
      "mov x1, #111\n.byte 213,3,32,31\nadd x0, x0, #8 // next\nmov x1, #222\n.byte 213,3,32,31\n",
      Architecture::kAArch64);
  ASSERT_EQ(osaca.regions.size(), 1U);
  EXPECT_EQ(osaca.regions[0].text, "add x0, x0, #8\n");
}

TEST(Listing, FindsLoopsOfAArch64) {
  const Listing listing = Read(
      "\t.text\nsum:\n.L3:\n\tldr\td1, [x0], 8\n\tfadd\td0, d0, d1\n\tcmp\tx0, x1\n\tbne\t.L3\n"
      "\tret\n",
      Architecture::kAArch64);
  ASSERT_EQ(listing.regions.size(), 1U);
  EXPECT_FALSE(listing.att_syntax);
  EXPECT_EQ(listing.regions[0].name, "line 3: .L3 in sum");
}

// Registers and labels may have the same names.
TEST(Listing, WhatBeginsWithBIsNoBranchOfAArch64) {
  for (const char* text :
       {"bic\tx0, x1, x2", "bit\tv0.16b, v1.16b, x2", "bfc\tx0, 1, x2", "brk\tx2"}) {
    EXPECT_THAT(Read(std::string("\t.text\nx2:\n\t") + text + '\n', Architecture::kAArch64).regions,
                IsEmpty())
        << text;
  }
  EXPECT_EQ(Read("\t.text\n.L1:\n\tb.ne\t.L1\n", Architecture::kAArch64).regions.size(), 1u);
}

TEST(Listing, TakesNoJumpBackOverAReturnForALoop) {
  EXPECT_THAT(Read("\t.text\nf:\n.L1:\n\tret\n.L2:\n\tjmp\t.L1\n").regions, IsEmpty());
}

TEST(Listing, MayHaveNothingToMeasure) {
  EXPECT_THAT(Read("\t.text\nf:\n\tret\n").regions, IsEmpty());
}

}  // namespace
}  // namespace cyclescope::assembler
