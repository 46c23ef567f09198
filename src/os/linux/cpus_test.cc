#include "os/cpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <thread>

#include "os/linux/fake_root.h"

namespace cyclescope::os {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSubsetOf;
using testing::Not;
using testing::SizeIs;

TEST(SomeOf, ManyAreSpreadEvenly) {
  EXPECT_EQ(SomeOf({3, 5}, 16), (CpuList{3, 5}));
  EXPECT_EQ(SomeOf({0, 1, 2, 3, 4, 5, 6, 7}, 4), (CpuList{0, 2, 4, 6}));
}

TEST(ParseCpuList, ReadsNumbersAndRanges) {
  EXPECT_THAT(ParseCpuList("0-3,8").value(), ElementsAre(0, 1, 2, 3, 8));
  EXPECT_THAT(ParseCpuList("5").value(), ElementsAre(5));
  EXPECT_THAT(ParseCpuList("2-2").value(), ElementsAre(2));
  EXPECT_THAT(ParseCpuList("0-2047").value(), SizeIs(2048));
}

TEST(ParseCpuList, SortsWhatItReads) {
  EXPECT_THAT(ParseCpuList("7,1-2,0").value(), ElementsAre(0, 1, 2, 7));
}

struct BadList {
  std::string text;
  std::string message;
};

class ParseBadCpuList : public testing::TestWithParam<BadList> {};

TEST_P(ParseBadCpuList, IsOneClearLine) {
  const Result<CpuList> cpus = ParseCpuList(GetParam().text);
  ASSERT_FALSE(cpus.has_value());
  EXPECT_EQ(cpus.error().kind, ErrorKind::kBadInput);
  EXPECT_THAT(cpus.error().ToString(), HasSubstr(GetParam().message));
  EXPECT_THAT(cpus.error().ToString(), Not(HasSubstr("\n")));
  EXPECT_LT(cpus.error().ToString().size(), 200u);
}

INSTANTIATE_TEST_SUITE_P(
    All, ParseBadCpuList,
    testing::Values(BadList{"", "the CPU list is empty"},  //
                    BadList{",", "CPU list ',' has an empty part"},
                    BadList{"1,,2", "CPU list '1,,2' has an empty part"},
                    BadList{"1,", "CPU list '1,' has an empty part"},
                    BadList{"a-b", "'a' in CPU list 'a-b' is not a CPU number"},
                    BadList{"1-", "'' in CPU list '1-' is not a CPU number"},
                    BadList{"-1", "'-1' in CPU list '-1' is not a CPU number"},
                    BadList{"1-2-3", "'2-3' in CPU list '1-2-3' is not a CPU number"},
                    BadList{"0x1", "'0x1' in CPU list '0x1' is not a CPU number"},
                    BadList{" 1", "' 1' in CPU list ' 1' is not a CPU number"},
                    BadList{"+1", "'+1' in CPU list '+1' is not a CPU number"},
                    BadList{"1\n2", "'1?2' in CPU list '1?2' is not a CPU number"},
                    BadList{"5-2", "range '5-2' in CPU list '5-2' runs backwards; write 2-5"},
                    BadList{"1,0-3", "CPU list '1,0-3' names CPU 1 twice"},
                    BadList{"0-65535,0-65535,0-65535", "names CPU 0 twice"},
                    BadList{"0-99999999999",
                            "CPU '99999999999' in CPU list '0-99999999999' does "
                            "not exist on any machine"},
                    BadList{"99999999999999999999999", "does not exist on any machine"},
                    BadList{std::string(100'000, '9'), "does not exist on any machine"}));

TEST(FormatCpuList, WritesWhatParseReads) {
  EXPECT_EQ(FormatCpuList({}), "");
  EXPECT_EQ(FormatCpuList({3}), "3");
  for (const char* text : {"0-3,8", "0,2,4", "1-2,4-5", "7"}) {
    EXPECT_EQ(FormatCpuList(ParseCpuList(text).value()), text);
  }
}

TEST(RecordedCpus, AreReadBelowTheRoot) {
  EXPECT_THAT(PresentCpus(RecordedMachine("hiding-vm")), SizeIs(8));
  EXPECT_THAT(OnlineCpus(RecordedMachine("hiding-vm")), ElementsAre(0, 1, 2, 3));
}

TEST(SelectCpus, TakesAllAllowedWithoutAText) {
  EXPECT_THAT(SelectCpus("", {2, 3}, RecordedMachine("hiding-vm")).value(), ElementsAre(2, 3));
}

TEST(SelectCpus, TakesWhatIsNamed) {
  EXPECT_THAT(SelectCpus("3,1", {0, 1, 2, 3}, RecordedMachine("hiding-vm")).value(),
              ElementsAre(1, 3));
}

std::string SelectionError(std::string_view text, const CpuList& allowed) {
  const Result<CpuList> cpus = SelectCpus(text, allowed, RecordedMachine("hiding-vm"));
  if (cpus) return "no error";
  EXPECT_EQ(cpus.error().kind, ErrorKind::kBadInput);
  return cpus.error().ToString();
}

TEST(SelectCpus, SaysWhichCpuDoesNotExistAndWhichDo) {
  EXPECT_EQ(SelectionError("99", {0, 1, 2, 3}), "CPU 99 does not exist; this machine has CPUs 0-7");
  EXPECT_EQ(SelectionError("2-9", {0, 1, 2, 3}),
            "CPUs 8-9 do not exist; this machine has CPUs 0-7");
  EXPECT_THAT(SelectionError("0-99999999999", {0, 1, 2, 3}),
              HasSubstr("this machine has CPUs 0-7"));
}

TEST(SelectCpus, SaysWhichCpuIsOffline) {
  EXPECT_THAT(SelectionError("3-5", {0, 1, 2, 3}),
              testing::AllOf(HasSubstr("CPUs 4-5 are offline; online are 0-3"),
                             HasSubstr("sudo tee /sys/devices/system/cpu/cpu4/online")));
}

TEST(SelectCpus, SaysWhichCpuMayNotBeUsed) {
  EXPECT_EQ(SelectionError("0-1", {0, 2, 3}),
            "CPU 1 may not be used by this process (affinity or cpuset); it may use 0,2-3");
}

TEST(SelectCpus, WithoutSystemFilesTheAllowedOnesExist) {
  const FakeRoot root;
  EXPECT_THAT(SelectCpus("1", {0, 1}, root.path()).value(), ElementsAre(1));
  EXPECT_EQ(SelectCpus("2", {0, 1}, root.path()).error().ToString(),
            "CPU 2 does not exist; this machine has CPUs 0-1");
}

TEST(ThisMachine, AllowsCpusThatAreOnline) {
  const Result<CpuList> allowed = AllowedCpus();
  ASSERT_TRUE(allowed.has_value()) << allowed.error().ToString();
  EXPECT_FALSE(allowed->empty());
  EXPECT_THAT(*allowed, IsSubsetOf(OnlineCpus()));
}

// Each in a thread of its own, so that no other test inherits its CPU or priority.

TEST(ThisMachine, PinsToEveryAllowedCpuAndBack) {
  std::thread([] {
    const CpuList allowed = AllowedCpus().value();
    for (const int cpu : allowed) {
      const Result<void> pinned = Pin(cpu);
      ASSERT_TRUE(pinned.has_value()) << pinned.error().ToString();
      EXPECT_EQ(CurrentCpu(), cpu);
      EXPECT_THAT(AllowedCpus().value(), ElementsAre(cpu));
    }
    ASSERT_TRUE(Unpin(allowed).has_value());
    EXPECT_EQ(AllowedCpus().value(), allowed);
  }).join();
}

TEST(ThisMachine, RefusesToPinWhereThereIsNoCpu) {
  std::thread([] {
    for (const int cpu : {-1, 60'000, std::numeric_limits<int>::max()}) {
      const Result<void> pinned = Pin(cpu);
      ASSERT_FALSE(pinned.has_value());
      EXPECT_THAT(pinned.error().ToString(),
                  HasSubstr("cannot run on CPU " + std::to_string(cpu) + ": it does not exist"));
    }
    EXPECT_FALSE(Unpin({}).has_value());
  }).join();
}

TEST(ThisMachine, SaysWhichPriorityItGot) {
  std::thread([] { EXPECT_THAT(RaisePriority(), AnyOf("real-time", "raised", "normal")); }).join();
}

}  // namespace
}  // namespace cyclescope::os
