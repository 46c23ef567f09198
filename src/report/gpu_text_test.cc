#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "document/testing/simulated_documents.h"
#include "report/part_texts.h"
#include "report/table.h"

namespace cyclescope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(GpuText, TellsEverythingOfAGpu) {
  const std::string text = GpuText(testing::FullDocument().gpu, {});
  for (const char* part :
       {"GPU 1: Made GPU, compute capability 9.0, 3 multiprocessors", "140 GB of memory, L2 60 MB",
        "clock 1.975 GHz", "not complete: only a part was measured", "FP16 and BF16", "6.000",
        "≥ 64", "4096", "folded", "L2 lines: 200 cycles near, 300 far", "between 3 multiprocessors",
        "partition A: 2 multiprocessors", "a CPU to the GPU and back: 2000 ns from CPU 0",
        "GPU 1 to GPU 0 and back: 1500 ns (3000 cycles)", "translation: beyond 5 pages of 2 MB"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, Not(HasSubstr("HMNMX2")));
}

TEST(GpuText, FullHasPairsCodeAndFootprints) {
  const std::string text = GpuText(testing::FullDocument().gpu, {}, TextSize::kFull);
  for (const char* part :
       {"%r1 -> %r0: 6.000 cycles (5.250 – 6.750), mad.lo.u32 %r0, %r1, %r2, %r3 subtracted",
        "> HMNMX2 R0, R0, R1, !PT", "| max.f16x2 %r0, %r1, %r2", "page-by-page order"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(GpuText, TextOfADocumentIsNoTerminalCode) {
  auto rows = testing::FullDocument().gpu;
  rows[0].name = "\x1b[2J";
  rows[0].instructions[0].text = "\x1b]0;x";
  EXPECT_THAT(GpuText(rows, {}, TextSize::kFull), Not(HasSubstr("\x1b")));
}

TEST(GpuText, FitsTheTerminal) {
  Document document = testing::FullDocument();
  const std::string text = GpuText(document.gpu, {.width = 80});
  EXPECT_GT(std::ranges::count(text, '\n'), 5);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(DisplayWidth(line), 80u) << line;
}

TEST(GpuText, NothingOfNothing) { EXPECT_EQ(GpuText({}, {}), ""); }

TEST(GpuText, ClustersAreToldOnlyWhereTheyRan) {
  auto rows = testing::FullDocument().gpu;
  ASSERT_TRUE(rows[0].matrix);
  rows[0].matrix->gpcs.clear();
  EXPECT_THAT(GpuText(rows, {}), Not(HasSubstr("GPC")));
  rows[0].matrix->gpcs = {{.name = "apart", .sms = {0, 1}}};
  EXPECT_THAT(GpuText(rows, {}), Not(HasSubstr("GPC")));
  EXPECT_THAT(GpuText(rows, {}), HasSubstr("2 multiprocessors run no cluster"));
  rows[0].matrix->gpcs = {{.name = "GPC 0", .sms = {0, 1}}};
  EXPECT_THAT(GpuText(rows, {}), HasSubstr("1 GPC, by where clusters of blocks run: 2 multi"));
  EXPECT_THAT(GpuText(rows, {}), Not(HasSubstr("run no cluster")));
}

}  // namespace
}  // namespace cyclescope
