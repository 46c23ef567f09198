#include "report/blocks_csv.h"

#include <gtest/gtest.h>

namespace cyclescope {
namespace {

TEST(BlocksCsv, HasALineForEachSnippet) {
  BlockRow good;
  good.name = "line 1";
  good.text = "add rax, \"rbx\"";
  good.cycles.emplace();
  good.cycles->value = 1;
  good.cycles->low = 0.99;
  good.cycles->high = 1.01;
  good.instructions = 1;
  good.unroll = 64;
  good.memory = "pointers";
  BlockRow bad;
  bad.text = "ud2";
  bad.status = Status::kUnsupported;
  bad.reason = "no, never";
  bad.notes = {"one", "two"};
  EXPECT_EQ(BlocksCsv({good, bad}),
            "name,text,status,reason,cycles,low,high,instructions,unroll,pages,memory,passes,"
            "contended,notes\n"
            "line 1,\"add rax, \"\"rbx\"\"\",measured,,1,0.99,1.01,1,64,0,pointers,no,no,\n"
            ",ud2,unsupported,\"no, never\",,,,0,1,0,,no,,one; two\n");
}

}  // namespace
}  // namespace cyclescope
