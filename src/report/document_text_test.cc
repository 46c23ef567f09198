#include "report/document_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "document/testing/simulated_documents.h"
#include "document/testing/simulated_surveys.h"
#include "report/table.h"

namespace cyclescope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Text(const Document& document, bool full = false) {
  return DocumentText(document, {.full = full}, {}).value();
}

// What the measured code of the made instruction is shown as.
constexpr char kCode[] = "    madd x4, x1, x2, x3\n";

Document ManyRows(std::size_t rows) {
  Document document = testing::BareDocument();
  document.instructions.assign(rows, testing::FullDocument().instructions.front());
  for (InstructionRow& row : document.instructions) {
    row.origin.clear();
    row.heading.clear();
  }
  return document;
}

TEST(DocumentText, SaysAllThatTheDocumentHolds) {
  EXPECT_THAT(
      Text(testing::FullDocument()),
      AllOf(HasSubstr("interrupted"), HasSubstr("another thread shared the core of CPU 0"),
            HasSubstr("governor"), HasSubstr("topology, as the system claims"),
            HasSubstr("core GHz"), HasSubstr("one way, ns"), HasSubstr("madd"), HasSubstr("8172"),
            HasSubstr("cycles per trip"), HasSubstr("slots dispatched a cycle")));
}

TEST(DocumentText, FitsATerminalOf80Columns) {
  for (Document document :
       {testing::FullDocument(), testing::SurveyDocument(), testing::TwoCpusDocument()}) {
    document.memory.clear();
    document.gpu.clear();
    std::istringstream lines(Text(document));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(DisplayWidth(line), 80U) << line;
  }
}

TEST(DocumentText, AFewInstructionsAreInDetail) {
  EXPECT_THAT(Text(ManyRows(3)), HasSubstr("x1 → x0"));
}

TEST(DocumentText, SomeAreALineEach) {
  EXPECT_THAT(Text(ManyRows(100)), AllOf(Not(HasSubstr("x1 → x0")), HasSubstr("--full")));
}

TEST(DocumentText, ThousandsAreASummary) {
  const std::string text = Text(ManyRows(3000));
  EXPECT_LT(std::ranges::count(text, '\n'), 80);
  EXPECT_THAT(text, AllOf(HasSubstr("3000"), HasSubstr("--full")));
}

TEST(DocumentText, HundredsOfCpusAreALineUnlessAskedFor) {
  Document document = testing::BareDocument();
  document.frequency.assign(300, testing::FullDocument().frequency.front());
  EXPECT_THAT(Text(document), AllOf(HasSubstr("300 CPUs run at"), Not(HasSubstr("core GHz"))));
  EXPECT_THAT(Text(document, /*full=*/true), HasSubstr("core GHz"));
}

TEST(DocumentText, FullLeavesNothingOut) {
  const Document document = ManyRows(3000);
  EXPECT_THAT(Text(document), Not(HasSubstr(kCode)));
  const std::string text = Text(document, /*full=*/true);
  EXPECT_THAT(text, AllOf(HasSubstr(kCode), HasSubstr("x1 → x0")));
  EXPECT_GT(std::ranges::count(text, '\n'), 3000);
}

}  // namespace
}  // namespace cyclescope
