#include "report/anatomy_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/csv.h"
#include "report/document_text.h"

namespace cyclescope {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

AnatomyRow Window(std::string name, double entries, std::string filler) {
  return {.part = AnatomyPart::kWindows,
          .name = std::move(name),
          .filler = std::move(filler),
          .unit = "entries",
          .value = AnatomyValue{entries, entries - 2, entries + 2}};
}

Anatomy SimulatedAnatomy() {
  Anatomy anatomy{.cpu = 1};
  anatomy.rows.push_back(Window("reorder buffer", 512, "nop"));
  anatomy.rows.back().shared = AnatomyValue{256, 255, 256};
  anatomy.rows.back().curve = AnatomyCurve{"fillers", "overlap", {{510, 0.65}, {512, 0.01}}};
  anatomy.rows.push_back(Window("integer registers", 247, "add r, r"));
  anatomy.rows.back().at_least = true;
  anatomy.rows.back().note = "ends with the flags";
  anatomy.rows.push_back(Window("stores", 56, "mov [m], r"));
  anatomy.rows.back().contended = true;
  anatomy.rows.push_back({.name = "mask registers",
                          .filler = "korw k, k, k",
                          .unit = "entries",
                          .status = Status::kUnsupported,
                          .reason = "this CPU has no avx512f"});
  anatomy.rows.push_back({.part = AnatomyPart::kMemoryPipeline,
                          .name = "4 KB aliasing",
                          .filler = "a load, a store",
                          .unit = "cycles",
                          .value = AnatomyValue{7.02, 6.9, 7.1}});
  anatomy.widths.push_back({.name = "dispatch", .pattern = "mix", .per_cycle = {6, 5.9, 6.1}});
  return anatomy;
}

TEST(AnatomyText, SaysBothSizesBoundsAndDoubts) {
  const std::string text = AnatomyText(SimulatedAnatomy(), {.width = 160});
  EXPECT_THAT(text, HasSubstr("512  510 - 514  nop; 256 while the core is shared"));
  EXPECT_THAT(text, HasSubstr("≥ 245"));
  EXPECT_THAT(text, HasSubstr("ends with the flags"));
  EXPECT_THAT(text, HasSubstr("the core was shared"));
  EXPECT_THAT(text, HasSubstr("this CPU has no avx512f"));
  EXPECT_THAT(text, HasSubstr("7.02 cycles"));
  EXPECT_THAT(text, HasSubstr("dispatch"));
}

TEST(AnatomyText, AReasonThatManyRowsShareIsToldOnce) {
  Anatomy anatomy;
  const auto add = [&anatomy](std::string filler) {
    anatomy.rows.push_back({.part = AnatomyPart::kFusion,
                            .name = "fuses",
                            .filler = std::move(filler),
                            .unit = "share",
                            .status = Status::kUnmeasurable,
                            .reason = "the times vary too much"});
  };
  add("cmp; jcc");
  add("add; jcc");
  EXPECT_THAT(AnatomyText(anatomy, {.width = 160}), HasSubstr("add; jcc; the times vary too much"));
  add("sub; jcc");
  EXPECT_THAT(AnatomyText(anatomy, {.width = 160}),
              HasSubstr("fuses, not known of cmp; jcc / add; jcc / sub; jcc: the times vary too "
                        "much\n"));
}

TEST(AnatomyText, HasCurvesOnlyWhereTheyAreAskedFor) {
  EXPECT_THAT(AnatomyText(SimulatedAnatomy(), {}), Not(HasSubstr("overlap by fillers")));
  EXPECT_THAT(AnatomyText(SimulatedAnatomy(), {}, TextSize::kFull),
              HasSubstr("reorder buffer, nop: overlap by fillers"));
}

TEST(AnatomyText, IsEmptyWhereNothingWasMeasured) { EXPECT_EQ(AnatomyText({}, {}), ""); }

TEST(AnatomyCsv, HasALineForEachQuantity) {
  const std::string text = AnatomyCsv(SimulatedAnatomy());
  EXPECT_THAT(text,
              HasSubstr("windows,reorder buffer,nop,entries,measured,,512,510,514,no,256,no\n"));
  EXPECT_THAT(text, HasSubstr("windows,integer registers,\"add r, r\",entries,measured,,247,"));
  EXPECT_THAT(text, HasSubstr("mask registers,\"korw k, k, k\",entries,unsupported,"));
  EXPECT_THAT(text, HasSubstr("width,dispatch,mix,per cycle,measured,,6,5.9,6.1,no,,no\n"));
}

TEST(AnatomyMarkdown, IsATable) {
  Document document;
  document.anatomy = SimulatedAnatomy();
  const std::string text = ToMarkdown(document);
  EXPECT_THAT(text, HasSubstr("512, 256 while the core is shared"));
  EXPECT_THAT(text, HasSubstr("memory-pipeline"));
}

}  // namespace
}  // namespace cyclescope
