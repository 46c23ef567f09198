#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/testing/simulated_documents.h"
#include "report/document_text.h"

namespace cyclescope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(SurveyText, HasEveryPart) {
  EXPECT_THAT(SurveyText(testing::FullDocument(), {}),
              AllOf(HasSubstr("interrupted"), HasSubstr("governor"), HasSubstr("core GHz"),
                    HasSubstr("one way, ns"), HasSubstr("madd x0, x1, x2, x3"),
                    HasSubstr("cycles per iteration"), HasSubstr("opcodes")));
}

TEST(SurveyText, LeavesOutWhatIsInOrder) {
  Document document = testing::FullDocument();
  document.doctor.front().status = CheckStatus::kOk;
  EXPECT_THAT(SurveyText(document, {}),
              AllOf(Not(HasSubstr("governor")), HasSubstr("1 checks: 1 ok")));
}

TEST(SurveyText, ManyCpusAreOneLine) {
  Document document = testing::FullDocument();
  FrequencyRow row = document.frequency.front();
  document.frequency.clear();
  for (int cpu = 0; cpu < 64; ++cpu) {
    row.cpu = cpu;
    row.core_ghz.value = 2 + cpu / 100.0;
    document.frequency.push_back(row);
  }
  document.frequency.back().core_ghz.value = 0;
  EXPECT_THAT(SurveyText(document, {}),
              AllOf(HasSubstr("63 CPUs run at 2.000 to 2.620 GHz, median 2.310"),
                    HasSubstr("not measured: CPU 63\n"), Not(HasSubstr("core GHz"))));
}

TEST(SurveyText, AMatrixWiderThanThePageIsASummary) {
  const Document document = testing::FullDocument();
  constexpr char kGrid[] = "\n    0";
  EXPECT_THAT(SurveyText(document, {.width = 80}), HasSubstr(kGrid));
  EXPECT_THAT(SurveyText(document, {.width = 10}),
              AllOf(Not(HasSubstr(kGrid)), HasSubstr("report --full"), HasSubstr("median")));
}

}  // namespace
}  // namespace cyclescope
