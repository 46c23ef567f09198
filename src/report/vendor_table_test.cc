#include "report/vendor_table.h"

#include <gtest/gtest.h>

namespace cyclescope {
namespace {

TEST(ShapeOf, RegistersAndNumbersMayBeAny) {
  EXPECT_EQ(ShapeOf("ADD X3, X4, #12"), ShapeOf("add x0, x1, #1"));
  EXPECT_EQ(ShapeOf("fmla V9.4S, V1.4S, V7.S[3]"), ShapeOf("fmla v0.4s, v1.4s, v2.s[0]"));
  EXPECT_EQ(ShapeOf("ldr X1, [SP, #-8]"), ShapeOf("ldr x0, [x1, #16]"));
  EXPECT_EQ(ShapeOf("fmov D1, #2.5"), ShapeOf("fmov d0, #1.0"));
}

TEST(ShapeOf, FilesLanesAndAddressingStay) {
  EXPECT_NE(ShapeOf("add x0, x1, x2"), ShapeOf("add w0, w1, w2"));
  EXPECT_NE(ShapeOf("add x0, x1, x2"), ShapeOf("add x0, x1, #2"));
  EXPECT_NE(ShapeOf("fmla v0.4s, v1.4s, v2.4s"), ShapeOf("fmla v0.2d, v1.2d, v2.2d"));
  EXPECT_NE(ShapeOf("add x0, x1, x2"), ShapeOf("add x0, x1, x2, lsl #3"));
  EXPECT_NE(ShapeOf("ldr x0, [x1], #8"), ShapeOf("ldr x0, [x1, #8]!"));
}

TEST(VendorTable, FiguresAreFoundByTheShape) {
  const auto table = VendorTable::Parse(
      "# A vendor: Optimization Guide, 2.0\r\n"
      "asm,form,latency,throughput_per_cycle\r\n"
      "\"fmla V9.4S, V1.4S, V7.4S\",\"with \"\"quotes\"\", and commas\",4,4.0\r\n"
      "\"sdiv X1, X2, X3\",,-,0\r\n",
      "guide");
  ASSERT_TRUE(table);
  EXPECT_EQ(table->source(), "A vendor: Optimization Guide, 2.0");
  const auto fmla = table->Of("fmla v0.4s, v1.4s, v2.4s");
  ASSERT_TRUE(fmla);
  EXPECT_EQ(fmla->latency, 4);
  EXPECT_EQ(fmla->throughput, 0.25);
  const auto divide = table->Of("sdiv x0, x1, x2");
  ASSERT_TRUE(divide);
  EXPECT_FALSE(divide->latency);
  EXPECT_FALSE(divide->throughput);
  EXPECT_FALSE(table->Of("udiv x0, x1, x2"));
}

TEST(VendorTable, WithoutASourceItIsTheFile) {
  EXPECT_EQ(VendorTable::Parse("asm,latency,throughput\n", "guide")->source(), "guide");
}

TEST(VendorTable, WhatIsNoTableIsRefused) {
  EXPECT_FALSE(VendorTable::Parse("", "guide"));
  EXPECT_FALSE(VendorTable::Parse("a,b\n1,2\n", "guide"));
  EXPECT_TRUE(VendorTable::Parse("asm,latency\n\"never ends, 3\n,,,\n\n", "guide"));
}

}  // namespace
}  // namespace cyclescope
