#include "base/byte_size.h"

#include <gtest/gtest.h>

namespace cyclescope {
namespace {

TEST(ByteSize, IsWrittenWithThreeDigits) {
  EXPECT_EQ(FormatBytes(64), "64 B");
  EXPECT_EQ(FormatBytes(48 * 1024), "48 KB");
  EXPECT_EQ(FormatBytes(1000 * 1024), "0.977 MB");
  EXPECT_EQ(FormatBytes(1.25 * 1024 * 1024), "1.25 MB");
  EXPECT_EQ(FormatBytes(300.0 * 1024 * 1024), "300 MB");
  EXPECT_EQ(FormatBytes(1024.0 * 1024 * 1024), "1 GB");
}

TEST(ByteSize, IsReadInEveryFormThatPeopleWrite) {
  EXPECT_EQ(*ParseBytes("65536"), 65536);
  EXPECT_EQ(*ParseBytes("64K"), 65536);
  EXPECT_EQ(*ParseBytes("64 KB"), 65536);
  EXPECT_EQ(*ParseBytes("1.5M"), 3 << 19);
  EXPECT_EQ(*ParseBytes("2GB"), std::int64_t{2} << 30);
  EXPECT_EQ(*ParseBytes("7B"), 7);
}

TEST(ByteSize, WhatIsNoneIsAnError) {
  for (const char* text : {"", "K", "-1K", "0", "1X", "1KBB", "nan", "inf", "1e30", "99999999T"}) {
    EXPECT_FALSE(ParseBytes(text)) << text;
  }
}

}  // namespace
}  // namespace cyclescope
