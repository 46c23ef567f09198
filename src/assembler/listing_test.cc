#include "assembler/listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cyclescope::assembler {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

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
  EXPECT_EQ(listing.regions[0].name, "sum (line 14)");
  EXPECT_EQ(listing.regions[0].text,
            ".L3:\naddsd	(%rdi), %xmm0\naddq	$8, %rdi\ncmpq	%rax, %rdi\njne	.L3\n");
}

// The loop of kSum begins 16 bytes behind the function: eight of code, and the padding to 16.
TEST(Listing, ALoopsOffsetInItsLineIsAsFarKnownAsTheFunctionsIs) {
  const auto offsets_in = [](const std::string& text) {
    const Region region = Read(text).regions.at(0);
    const LoopLines loop = {region.places, region.function};
    return CodeOffsets(text, Architecture::kX86_64, Syntax::kAtt, {&loop, 1}).at(0);
  };
  EXPECT_THAT(offsets_in(std::string(kSum)), ElementsAre(0, 16, 32, 48));
  const auto with = [&offsets_in](std::string_view from, std::string_view to) {
    std::string text(kSum);
    text.replace(text.find(from), from.size(), to);
    return offsets_in(text);
  };
  EXPECT_THAT(with(".p2align 4\n\t.globl", ".p2align 6\n\t.globl"), ElementsAre(16));
  EXPECT_THAT(with(".p2align 4\n\t.globl", ".p2align 5\n\t.globl"), ElementsAre(16, 48));
  EXPECT_THAT(with(".p2align 4,,10", ".p2align 6"), ElementsAre(0));
  EXPECT_THAT(with(".p2align 4,,10", ".p2align 4,,7"), ElementsAre(8, 24, 40, 56))
      << "8 are too many";
  EXPECT_THAT(with("\tjle\t.L4", "\t.incbin \"x\"\n\tjle\t.L4"), ElementsAre(0, 16, 32, 48))
      << "directives are left out";
  EXPECT_THAT(with("jle\t.L4", "no_such_instruction"), IsEmpty());
}

// Labels before instructions and semicolons between them, as people write them.
TEST(Listing, ALineMayHoldSeveralStatements) {
  const Listing listing = Read(
      "\t.intel_syntax noprefix\n\t.ascii \"a;b\"\nf: xor eax, eax\n"
      ".L3: add rax, [rdi]; add rdi, 8 # on; and on\n  cmp rdi, rsi; jne .L3\n");
  ASSERT_EQ(listing.regions.size(), 1U);
  EXPECT_EQ(listing.regions[0].text, ".L3:\nadd rax, [rdi]\nadd rdi, 8\ncmp rdi, rsi\njne .L3\n");
  EXPECT_EQ(listing.regions[0].line, 4);
  EXPECT_EQ(listing.regions[0].function, "f");
  const Listing numbered =
      Read("\t.text\n1: ldr d1, [x0], 8; cmp x0, x1; b.ne 1b\n", Architecture::kAArch64);
  ASSERT_EQ(numbered.regions.size(), 1U);
  EXPECT_EQ(numbered.regions[0].text, "1:\nldr d1, [x0], 8\ncmp x0, x1\nb.ne 1b\n");
}

TEST(Listing, KnowsWhereEachLineStands) {
  const auto places = [](const Region& region) {
    std::vector<std::pair<int, int>> all;
    for (const TextPlace& place : region.places) all.emplace_back(place.line, place.column);
    return all;
  };
  const Listing loop = Read("\t.text\n\n.L3: dec %rcx; nop\n\tjne\t.L3\n");
  ASSERT_EQ(loop.regions.size(), 1U);
  EXPECT_THAT(places(loop.regions[0]),
              ElementsAre(Pair(3, 1), Pair(3, 6), Pair(3, 16), Pair(4, 2)));
  const Listing marked = Read("# OSACA-BEGIN\n\n  sub %rax, %rbx\n# OSACA-END\n");
  EXPECT_THAT(places(marked.regions.at(0)), ElementsAre(Pair(3, 3)));
  // What was added stands nowhere.
  const Listing added = Read(
      "\t.text\nf:\n.L2:\n\tcmpb\t$0, (%rdi)\n\tjne\t.L4\n\tret\n"
      ".L4:\n\tincq\t%rdi\n\tjmp\t.L2\n");
  EXPECT_THAT(places(added.regions.at(0)),
              ElementsAre(Pair(3, 1), Pair(4, 2), Pair(5, 2), Pair(0, 0), Pair(7, 1), Pair(8, 2),
                          Pair(9, 2)));
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
  EXPECT_EQ(listing.regions[0].name, "sum (line 2)");
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

// What gcc -O2 -S makes of `if (a[i] & 1) s += a[i]; else t ^= a[i];`: two edges back.
TEST(Listing, ALoopWithTwoWaysIsOne) {
  const Listing listing = Read(R"(	.text
	.type	f, @function
f:
	xorl	%eax, %eax
	jmp	.L4
.L3:
	xorq	%rdx, %rcx
	addq	$8, %rdi
	cmpq	%rdi, %rsi
	je	.L1
.L4:
.LVL2:
	movq	(%rdi), %rdx
	testb	$1, %dl
	je	.L3
	addq	%rdx, %rax
	addq	$8, %rdi
	cmpq	%rdi, %rsi
	jne	.L4
.L1:
	ret
)");
  ASSERT_EQ(listing.regions.size(), 1U);
  EXPECT_EQ(listing.regions[0].name, "f (line 11)");
  EXPECT_EQ(listing.regions[0].text, R"(jmp	.Lblock2
.L3:
xorq	%rdx, %rcx
addq	$8, %rdi
cmpq	%rdi, %rsi
je	.L1
.Lblock2:
.L4:
movq	(%rdi), %rdx
testb	$1, %dl
je	.L3
addq	%rdx, %rax
addq	$8, %rdi
cmpq	%rdi, %rsi
jne	.L4
)");
}

// `while (p && p->v != v) p = p->next;`: the compiler jumps to the test at first. Every trip passes
// the block in front of it too.
TEST(Listing, ALoopThatIsEnteredInTheMiddleNeedsNoJump) {
  const Listing listing = Read(R"(	.text
f:
	jmp	.L3
.L5:
	cmpq	%rsi, 8(%rdi)
	je	.L4
	movq	(%rdi), %rdi
.L3:
	testq	%rdi, %rdi
	jne	.L5
.L4:
	ret
)");
  ASSERT_EQ(listing.regions.size(), 1U);
  EXPECT_EQ(listing.regions[0].text, R"(.L5:
cmpq	%rsi, 8(%rdi)
je	.L4
movq	(%rdi), %rdi
testq	%rdi, %rdi
jne	.L5
)");
  EXPECT_EQ(listing.regions[0].line, 8);
}

TEST(Listing, TakesTheWaysWithoutCallsWhereThereAreSome) {
  const Listing listing = Read(R"(	.text
f:
.L3:
	sqrtsd	(%rdi), %xmm1
	ucomisd	(%rdi), %xmm2
	ja	.L9
.L5:
	addq	$8, %rdi
	cmpq	%rsi, %rdi
	jne	.L3
	ret
.L9:
	call	sqrt@PLT
	jmp	.L5
g:
	testl	%eax, %eax
	je	.L12
	call	h
.L12:
	incl	%eax
	call	h
	jmp	g
)");
  ASSERT_EQ(listing.regions.size(), 2U);
  EXPECT_EQ(listing.regions[0].text, R"(.L3:
sqrtsd	(%rdi), %xmm1
ucomisd	(%rdi), %xmm2
ja	.L9
addq	$8, %rdi
cmpq	%rsi, %rdi
jne	.L3
)");
  EXPECT_THAT(listing.regions[0].avoided_calls, ElementsAre("call sqrt@PLT"));
  EXPECT_NE(listing.regions[1].text.find("call"), std::string::npos);
  EXPECT_THAT(listing.regions[1].avoided_calls, IsEmpty());
}

// As GCC writes a transposition: straight code for each row, beside a loop where arrays overlap.
constexpr std::string_view kRowsWithoutTheirLoop = R"(	.text
f:
.L2:
	cmpq	%rcx, %rdi
	jb	.L5
	movl	(%rdi), %eax
	movl	%eax, (%rcx)
	movl	4(%rdi), %eax
	movl	%eax, 128(%rcx)
	movl	8(%rdi), %eax
	movl	%eax, 256(%rcx)
.L4:
	addq	$16, %rdi
	addq	$4, %rcx
	cmpq	%rsi, %rdi
	jne	.L2
	ret
.L5:
	movl	(%rdi,%r8), %eax
	movl	%eax, (%rcx,%r8,4)
	addq	$4, %r8
	cmpq	$16, %r8
	jne	.L5
	jmp	.L4
)";

TEST(Listing, ALoopThatDoesAnInnerLoopsWorkHasARow) {
  const Listing listing = Read(kRowsWithoutTheirLoop);
  ASSERT_EQ(listing.regions.size(), 2U);
  const Region& around = listing.regions[0];
  const Region& inner = listing.regions[1];
  EXPECT_EQ(around.line, 2);
  EXPECT_THAT(around.avoided_loops, ElementsAre(18));
  EXPECT_EQ(around.text.find("%r8"), std::string::npos);
  EXPECT_NE(around.text.find("256(%rcx)"), std::string::npos);
  EXPECT_FALSE(around.inside_loop);
  EXPECT_EQ(inner.line, 18);
  EXPECT_THAT(inner.avoided_loops, IsEmpty());
  EXPECT_EQ(inner.loop_around, 2);
  EXPECT_TRUE(inner.inside_loop);
}

// `for (...) { if (n > 0) for (...) s += *p; *q = s; }`: what only the way around has is nothing.
TEST(Listing, ALoopThatJustSkipsAnInnerLoopHasNoRow) {
  const Listing listing = Read(R"(	.text
f:
.L2:
	movl	$0, %eax
	leaq	4(%rdx), %rdx
	leaq	(%rdx,%r9), %rbx
	testq	%r8, %r8
	je	.L4
.L5:
	addl	(%rdx), %eax
	decq	%r8
	jne	.L5
.L4:
	movl	%eax, (%rcx)
	addq	$4, %rcx
	cmpq	%rsi, %rcx
	jne	.L2
	ret
)");
  ASSERT_EQ(listing.regions.size(), 1U);
  EXPECT_EQ(listing.regions[0].line, 9);
  EXPECT_EQ(listing.regions[0].loop_around, 0);
  EXPECT_TRUE(listing.regions[0].inside_loop);
}

TEST(Listing, ColdPartsBelongToTheirLoop) {
  const Listing listing = Read(R"(	.text
	.type	f, @function
f:
.L3:
	sqrtsd	%xmm0, %xmm1
	ucomisd	(%rdi), %xmm2
	ja	.L9
.L5:
	addq	$8, %rdi
	cmpq	%rsi, %rdi
	jne	.L3
	ret
	.section	.text.unlikely
	.type	f.cold, @function
f.cold:
.L9:
	addsd	%xmm1, %xmm3
	jmp	.L5
)");
  ASSERT_EQ(listing.regions.size(), 1U);
  EXPECT_EQ(listing.regions[0].function, "f");
  EXPECT_EQ(listing.regions[0].text, R"(.L3:
sqrtsd	%xmm0, %xmm1
ucomisd	(%rdi), %xmm2
ja	.L9
.L5:
addq	$8, %rdi
cmpq	%rsi, %rdi
jne	.L3
jmp	.Lleave
.L9:
addsd	%xmm1, %xmm3
jmp	.L5
)");
}

// A way out by falling through, in the midst of the loop, stays a way out; and one that goes on
// elsewhere leads there.
TEST(Listing, PutsJumpsWhereTheOrderIsBroken) {
  const Listing listing = Read(R"(	.text
f:
.L2:
	cmpb	$0, (%rdi)
	jne	.L4
	ret
.L4:
	incq	%rdi
	jmp	.L2
)");
  ASSERT_EQ(listing.regions.size(), 1U);
  EXPECT_EQ(listing.regions[0].text,
            ".L2:\ncmpb	$0, (%rdi)\njne	.L4\njmp	.Lleave\n.L4:\nincq	%rdi\njmp	"
            ".L2\n");
}

TEST(Listing, FollowsJumpTables) {
  const Listing listing = Read(R"(	.text
	.type	f, @function
f:
.L8:
	movzbl	(%rdi), %eax
	jmp	*.L4(,%rax,8)
	.section	.rodata
.L4:
	.quad	.L6
	.quad	.L5
	.text
.L5:
	addq	$1, %rcx
	jmp	.L2
.L6:
	addq	$2, %rcx
.L2:
	incq	%rdi
	cmpq	%rsi, %rdi
	jne	.L8
	ret
)");
  ASSERT_EQ(listing.regions.size(), 1U);
  EXPECT_THAT(listing.regions[0].text, ::testing::HasSubstr("addq	$1, %rcx"));
  EXPECT_THAT(listing.regions[0].text, ::testing::HasSubstr("addq	$2, %rcx"));
  ASSERT_EQ(listing.regions[0].tables.size(), 1U);
  EXPECT_EQ(listing.regions[0].tables[0].jump, 1U);
  EXPECT_THAT(listing.regions[0].tables[0].targets, ElementsAre(".L6", ".L5"));
}

// Entries are distances: the first label is where one leads. One that leads out has no label, and
// the place in the code that they are counted from stays in the text.
TEST(Listing, FollowsTablesOfDistances) {
  const Listing listing = Read(R"(	.text
	.type	f, %function
f:
	adrp	x4, .L4
	add	x4, x4, :lo12:.L4
.L8:
	ldrb	w0, [x1], 1
	ldrb	w0, [x4, w0, uxtw]
	adr	x2, .Lrtx4
	add	x0, x2, w0, sxtb #2
	br	x0
.Lrtx4:
	.section	.rodata
.L4:
	.byte	(.L6 - .Lrtx4) / 4
	.byte	(.L9 - .Lrtx4) / 4
	.byte	(.L5 - .Lrtx4) / 4
	.text
.L5:
	add	x3, x3, 1
	b	.L2
.L6:
	add	x3, x3, 2
.L2:
	cmp	x1, x5
	bne	.L8
.L9:
	ret
)",
                               Architecture::kAArch64);
  ASSERT_EQ(listing.regions.size(), 1U);
  ASSERT_EQ(listing.regions[0].tables.size(), 1U);
  EXPECT_EQ(listing.regions[0].tables[0].jump, 4U);
  EXPECT_THAT(listing.regions[0].tables[0].targets, ElementsAre(".L6", "", ".L5"));
  EXPECT_THAT(listing.regions[0].text, ::testing::HasSubstr("br	x0\n.Lrtx4:\n.L5:\n"));
}

TEST(Listing, SaysWhereTheSourceIs) {
  const Listing listing = Read(R"(	.file	"dot.c"
	.text
	.type	dot, @function
dot:
	.file 1 "src/dot.c"
	.loc 1 2 3
	testq	%rdi, %rdi
.L3:
.LBB2:
	.loc 1 4 5 is_stmt 1
	addsd	(%rdi), %xmm0
	addq	$8, %rdi
	cmpq	%rax, %rdi
	jne	.L3
.L4:
	.loc 1 4 5
	subsd	(%rdi), %xmm0
	addq	$8, %rdi
	cmpq	%rax, %rdi
	jne	.L4
	ret
)");
  ASSERT_EQ(listing.regions.size(), 2U);
  ASSERT_TRUE(listing.regions[0].source.has_value());
  EXPECT_EQ(listing.regions[0].source->file, "dot.c");
  EXPECT_EQ(listing.regions[0].source->line, 4);
  EXPECT_EQ(listing.regions[0].name, "dot (dot.c:4, line 8)");
  EXPECT_EQ(listing.regions[1].name, "dot (dot.c:4, line 15)");
  EXPECT_EQ(listing.regions[0].text,
            ".L3:\naddsd	(%rdi), %xmm0\naddq	$8, %rdi\ncmpq	%rax, %rdi\njne	.L3\n");
}

TEST(Listing, ATailCallIsNoLoop) {
  EXPECT_THAT(Read("\t.text\n\t.type g, @function\n\t.type f, @function\ng:\n\tnop\nf:\n\tjmp\tg\n")
                  .regions,
              IsEmpty());
}

TEST(Listing, TakesNoJumpBackOverAReturnForALoop) {
  EXPECT_THAT(Read("\t.text\nf:\n.L1:\n\tret\n.L2:\n\tjmp\t.L1\n").regions, IsEmpty());
}

TEST(Listing, MayHaveNothingToMeasure) {
  EXPECT_THAT(Read("\t.text\nf:\n\tret\n").regions, IsEmpty());
}

}  // namespace
}  // namespace cyclescope::assembler
