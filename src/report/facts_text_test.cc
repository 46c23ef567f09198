#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/csv_matrix_reader.h"
#include "document/testing/simulated_documents.h"
#include "report/machine_text.h"

namespace cyclescope {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(FactsText, NamesTheRunAndTheMachine) {
  EXPECT_THAT(FactsText(testing::FullDocument(), {}),
              AllOf(HasSubstr("host\n"), HasSubstr("cyclescope survey --cpus 0-2 --full\n"),
                    HasSubstr("the kernel offers no counters"), HasSubstr("99 %"),
                    HasSubstr("0.1.0, commit 0123456789ab")));
}

TEST(FactsText, LeavesOutWhatIsNotKnown) {
  EXPECT_THAT(
      FactsText(testing::BareDocument(), {}),
      AllOf(Not(HasSubstr("microcode")), Not(HasSubstr("governor")), Not(HasSubstr("tick rate")),
            HasSubstr("cyclescope  0.1.0\n"), Not(HasSubstr("confidence"))));
}

TEST(FactsText, OfAnotherToolsMatrixNothingIsKnown) {
  const Result<Document> matrix = ParseCsvMatrix("0,50\n60,0\n", "m.csv");
  ASSERT_TRUE(matrix);
  EXPECT_EQ(FactsText(*matrix, {}), "");
}

TEST(FactsText, AVirtualMachineDoesNotKnowThatThereIsNoSmt) {
  Document document = testing::BareDocument();
  document.host.smt = false;
  EXPECT_THAT(FactsText(document, {}), HasSubstr("off\n"));
  document.host.hypervisor = "kvm";
  EXPECT_THAT(FactsText(document, {}), HasSubstr("unknown (virtual machine)\n"));
  document.host.smt = true;
  EXPECT_THAT(FactsText(document, {}), HasSubstr("on\n"));
}

CpuPlace Place(int cpu, int core, int package) {
  CpuPlace place;
  place.cpu = cpu;
  place.core = core;
  place.package = package;
  return place;
}

TEST(TopologyText, ListsLevelsThatHoldSeveralCpus) {
  const std::string text =
      TopologyText({Place(0, 0, 0), Place(1, 1, 0), Place(2, 2, 1), Place(3, 3, 1)}, {});
  EXPECT_THAT(text, HasSubstr("package  0: 0-1; 1: 2-3\n"));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("core")), Not(HasSubstr("L3"))));
}

TEST(TopologyText, ListsKindsOfCpus) {
  std::vector<CpuPlace> places = {Place(0, 0, 0), Place(1, 1, 0)};
  places[0].kind = "performance";
  places[1].kind = "efficiency";
  EXPECT_THAT(TopologyText(places, {}), HasSubstr("kind     efficiency: 1; performance: 0\n"));
}

TEST(TopologyText, NothingWhereTheSystemSaysNothing) { EXPECT_EQ(TopologyText({}, {}), ""); }

}  // namespace
}  // namespace cyclescope
