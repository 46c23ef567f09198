#include "report/memory_csv.h"

#include <gtest/gtest.h>

namespace cyclescope {
namespace {

TEST(MemoryCsv, HasALinePerFootprint) {
  MemoryRow row;
  row.cpu = 3;
  MemoryCurve curve;
  curve.order = ChaseOrder::kRandom;
  curve.pages = PageKind::kHuge;
  curve.huge_share = 1;
  curve.points = {{.bytes = 32768,
                   .cycles = {.value = 5, .low = 4.9, .high = 5.1},
                   .nanoseconds = {.value = 1.5, .low = 1.4, .high = 1.6},
                   .p10_ns = 1.45,
                   .p90_ns = 1.55,
                   .visits = 8,
                   .contended = true}};
  row.curves = {curve};
  MemoryRow other = row;
  other.node = 1;
  EXPECT_EQ(MemoryCsv({row, other}),
            "cpu,node,order,pages,huge_share,bytes,cycles,cycles_low,cycles_high,ns,ns_low,ns_high,"
            "p10_ns,p90_ns,visits,contended\n"
            "3,,random,huge,1,32768,5,4.9,5.1,1.5,1.4,1.6,1.45,1.55,8,yes\n"
            "3,1,random,huge,1,32768,5,4.9,5.1,1.5,1.4,1.6,1.45,1.55,8,yes\n");
}

}  // namespace
}  // namespace cyclescope
