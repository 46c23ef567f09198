#include "os/linux/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/linux/fake_root.h"

namespace cyclescope::os {
namespace {

using testing::Eq;
using testing::Optional;

TEST(ReadText, DropsWhatStandsAtTheEnd) {
  const FakeRoot root;
  root.Write("line", " powersave \n");
  root.Write("device-tree", std::string_view{"linux,dummy-virt\0", 17});
  EXPECT_THAT(ReadText(root.path() / "line"), Optional(Eq(" powersave")));
  EXPECT_THAT(ReadText(root.path() / "device-tree"), Optional(Eq("linux,dummy-virt")));
}

TEST(ReadText, IsUnsetWithoutAFile) {
  const FakeRoot root;
  EXPECT_EQ(ReadText(root.path() / "missing"), std::nullopt);
  EXPECT_EQ(ReadText(root.path()), std::nullopt) << "a folder";
  EXPECT_EQ(ReadTextOrEmpty(root.path() / "missing"), "");
}

TEST(ReadInteger, TakesTheWholeTextOrNothing) {
  const FakeRoot root;
  root.Write("good", "-1\n");
  root.Write("bad", "1 and more\n");
  EXPECT_THAT(ReadInteger(root.path() / "good"), Optional(-1));
  EXPECT_EQ(ReadInteger(root.path() / "bad"), std::nullopt);
}

}  // namespace
}  // namespace cyclescope::os
