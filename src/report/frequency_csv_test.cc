#include "report/frequency_csv.h"

#include <gtest/gtest.h>

namespace cyclescope {
namespace {

TEST(FrequencyCsv, HasALinePerCpuWithStepsAndContention) {
  FrequencyRow measured;
  measured.base_ghz = 2;
  measured.boost = 1.8;
  measured.core_ghz = {.value = 3.6, .low = 3.59, .high = 3.61, .visits = 20, .contended = true};
  measured.steps = {{.ghz = 3.5, .share = 0.4}, {.ghz = 3.7, .share = 0.6}};
  measured.cycle_source = "reference";
  FrequencyRow crashed;
  crashed.cpu = 1;
  crashed.status = Status::kCrashed;
  crashed.reason = "died, twice";
  EXPECT_EQ(FrequencyCsv({measured, crashed}),
            "cpu,status,reason,base_ghz,boost,core_ghz,core_ghz_low,core_ghz_high,cycle_source,"
            "contended,visits,steps\n"
            "0,measured,,2,1.8,3.6,3.59,3.61,reference,yes,20,3.5 0.4; 3.7 0.6\n"
            "1,crashed,\"died, twice\",0,,,,,,no,1,\n");
}

}  // namespace
}  // namespace cyclescope
