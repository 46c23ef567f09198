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

TEST(ReadInput, AFolderIsSaidToBeOne) {
  const auto text = ReadInput(::testing::TempDir());
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message, HasSubstr("Is a directory"));
}

TEST(ReadInput, EndlessInputIsRefused) {
  const auto text = ReadInput("/dev/zero", std::size_t{4} << 20);
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message, HasSubstr("has more than 4 MB"));
}

TEST(ReadSource, LinesOfOtherSystems) {
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) / "cyclescope_read_lines_test";
  std::ofstream(path, std::ios::binary) << "\xef\xbb\xbf"
                                           "a\r\nb\rc\r\n";
  EXPECT_EQ(ReadSource(path.string()).value_or(""), "a\nb\nc\n");
  std::filesystem::remove(path);
}

TEST(ReadSource, RefusesWhatIsNotText) {
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) / "cyclescope_read_source_test";
  std::ofstream(path) << "add rax, rbx\t# π\r\n";
  EXPECT_TRUE(ReadSource(path.string()));
  for (const std::string& bytes : {std::string("a\0b", 3), std::string("a\x1b[2J")}) {
    std::ofstream(path) << bytes;
    const auto text = ReadSource(path.string());
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().kind, ErrorKind::kBadInput);
    EXPECT_THAT(text.error().message, HasSubstr("is not text"));
  }
  std::filesystem::remove(path);
}

TEST(ReadSource, CompilersCommentsMayHoldAnyCharacter) {
  const std::filesystem::path path =
      std::filesystem::path(::testing::TempDir()) / "cyclescope_read_comment_test";
  std::ofstream(path) << std::string("\t.byte\t0 # \0\nnop // \x07\n", 22);
  EXPECT_EQ(ReadSource(path.string()).value_or(""), "\t.byte\t0 # ?\nnop // ?\n");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace cyclescope
