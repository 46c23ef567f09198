#include "os/append_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace cyclescope::os {
namespace {

class AppendFileTest : public testing::Test {
 protected:
  AppendFileTest() { std::filesystem::remove(path_); }
  ~AppendFileTest() override { std::filesystem::remove(path_); }

  std::string Contents() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string path_ = testing::TempDir() + "append_file_test_" + std::to_string(getpid());
};

TEST_F(AppendFileTest, HoldsWhatWasAppendedAtOnce) {
  auto file = AppendFile::Create(path_);
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->Append("one\n"));
  ASSERT_TRUE(file->Append("two\n"));
  EXPECT_EQ(Contents(), "one\ntwo\n") << "while the file is still open";
}

TEST_F(AppendFileTest, ContinuesAfterWhatIsKept) {
  ASSERT_TRUE(AppendFile::Create(path_)->Append("one\ntorn"));
  auto file = AppendFile::Continue(path_);
  ASSERT_TRUE(file);
  EXPECT_EQ(Contents(), "one\ntorn") << "having it changes nothing";
  ASSERT_TRUE(file->KeepFirst(4));
  ASSERT_TRUE(file->Append("two\n"));
  EXPECT_EQ(Contents(), "one\ntwo\n");
}

TEST_F(AppendFileTest, NeverReplacesWhatThereIs) {
  ASSERT_TRUE(AppendFile::Create(path_)->Append("one\n"));
  const auto again = AppendFile::Create(path_);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::kBadInput);
  EXPECT_EQ(Contents(), "one\n");
}

TEST_F(AppendFileTest, OnlyWhatIsThereIsContinued) {
  EXPECT_FALSE(AppendFile::Continue(path_));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(AppendFileTest, HasOneWriterAtATime) {
  const auto first = AppendFile::Create(path_);
  ASSERT_TRUE(first);
  const auto second = AppendFile::Continue(path_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::kBadInput);
}

TEST_F(AppendFileTest, SaysWhyItCannotBeWritten) {
  const auto file = AppendFile::Create("/nonexistent/journal");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().kind, ErrorKind::kBadInput);
  EXPECT_NE(file.error().message.find("/nonexistent/journal"), std::string::npos);
}

}  // namespace
}  // namespace cyclescope::os
