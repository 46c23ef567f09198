#include "result/status.h"

#include <gtest/gtest.h>

namespace cyclescope {
namespace {

TEST(Status, NamesGoBothWays) {
  for (const Status status :
       {Status::kMeasured, Status::kDisturbed, Status::kUnsupported, Status::kPrivileged,
        Status::kCrashed, Status::kTimeout, Status::kUnmeasurable}) {
    EXPECT_EQ(ParseStatus(ToString(status)), status);
  }
  EXPECT_EQ(ToString(Status::kDisturbed), "disturbed");
}

TEST(Status, UnknownNameIsNoStatus) { EXPECT_EQ(ParseStatus("Measured"), std::nullopt); }

}  // namespace
}  // namespace cyclescope
