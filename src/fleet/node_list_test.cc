#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fleet/collection.h"

namespace cyclescope::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

TEST(NodeList, AsSlurmWritesThem) {
  EXPECT_THAT(ExpandNodeList("n1"), Optional(ElementsAre("n1")));
  EXPECT_THAT(ExpandNodeList("n[1-3]"), Optional(ElementsAre("n1", "n2", "n3")));
  EXPECT_THAT(ExpandNodeList("n[08-10,12],login"),
              Optional(ElementsAre("n08", "n09", "n10", "n12", "login")));
  EXPECT_THAT(ExpandNodeList("r[1-2]n[0,5]-ib"),
              Optional(ElementsAre("r1n0-ib", "r1n5-ib", "r2n0-ib", "r2n5-ib")));
  EXPECT_THAT(ExpandNodeList(""), Optional(ElementsAre()));
}

TEST(NodeList, WhatIsNone) {
  for (const char* list :
       {"n[1-", "n[]", "n[3-1]", "n[a-b]", "n]1", "n[1-99999999]", ",,", "n[0-999][0-999][0-999]",
        "n[0-999999,0-999999,0-999999]", "n[00000000000000000000000000000000000001-9]"}) {
    EXPECT_FALSE(ExpandNodeList(list)) << list;
  }
  std::string deep = "n";
  for (int i = 0; i < 300'000; ++i) deep += "[0]";
  EXPECT_FALSE(ExpandNodeList(deep));
}

}  // namespace
}  // namespace cyclescope::fleet
