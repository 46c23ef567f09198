#include "cyclescope/base/error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace cyclescope {
namespace {

TEST(Error, JoinsMessageAndHint) {
  EXPECT_EQ(Failed("cannot pin").error().ToString(), "cannot pin");
  EXPECT_EQ(BadInput("no CPU 9", "there are 0-1").error().ToString(), "no CPU 9; there are 0-1");
}

TEST(Error, KindDecidesTheExitCode) {
  EXPECT_EQ(Failed("x").error().kind, ErrorKind::kFailed);
  EXPECT_EQ(BadInput("x").error().kind, ErrorKind::kBadInput);
}

TEST(Error, SystemErrorNamesTheReason) {
  EXPECT_EQ(SystemError("cannot open 'x'", ENOENT).error().message,
            "cannot open 'x': No such file or directory");
}

}  // namespace
}  // namespace cyclescope
