#include "base/input_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace cyclescope {
namespace {

using ::testing::HasSubstr;

TEST(ReadInput, TheWholeFile) {
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) / "cyclescope_input_text_test";
  std::ofstream(path) << "a\nb\n";
  EXPECT_EQ(ReadInput(path.string()).value_or(""), "a\nb\n");
  std::filesystem::remove(path);
}

TEST(ReadInput, WhatCannotBeReadIsBadInput) {
  for (const std::string path : {"/nowhere/file", "/"}) {
    const auto text = ReadInput(path);
    ASSERT_FALSE(text) << path;
    EXPECT_EQ(text.error().kind, ErrorKind::kBadInput);
    EXPECT_THAT(text.error().message, HasSubstr("'" + path + "'"));
  }
}

}  // namespace
}  // namespace cyclescope
