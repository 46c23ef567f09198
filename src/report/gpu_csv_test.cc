#include <gtest/gtest.h>

#include "document/testing/simulated_documents.h"
#include "report/csv.h"

namespace cyclescope {
namespace {

TEST(GpuCsv, HasALinePerPair) {
  EXPECT_EQ(GpuCsv(testing::FullDocument().gpu),
            "device,gpu,group,instruction,status,from,to,cycles,cycles_low,cycles_high,kind,"
            "connector,repeat_cycles,per_sm,per_gpu,at_least,machine_instructions,folded,reason\n"
            "1,Made GPU,FP16 and BF16,\"max.f16x2 %r0, %r1, %r2\",measured,%r1,%r0,6,5.25,6.75,"
            "connected,\"mad.lo.u32 %r0, %r1, %r2, %r3\",4,64,192,yes,1,no,\n"
            "1,Made GPU,,\"neg.s16 %rs0, %rs1\",unmeasurable,,,,,,,,,,,,,yes,the driver's compiler "
            "makes less of the copies than there are\n");
}

}  // namespace
}  // namespace cyclescope
