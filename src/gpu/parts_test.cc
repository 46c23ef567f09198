// The small pure parts: cubins, messages, disassembly, groups of multiprocessors.
#include <gtest/gtest.h>

#include "gpu/cubin.h"
#include "gpu/messages.h"
#include "gpu/multiprocessors.h"
#include "gpu/round_trips.h"
#include "gpu/testing/simulated_gpu.h"

namespace cyclescope::gpu {
namespace {

TEST(Cubin, CodeOfAKernel) {
  testing::PtxModule module;
  module.entries.push_back(
      {"first", 1, std::vector<testing::PtxStatement>(100, {.opcode = "add"})});
  module.entries.push_back({"second", 1, {}});
  const std::string file = testing::MakeCubin(module, {}, 7);
  EXPECT_EQ(CodeBytes(file, "first"), (108 * 16 + 127) / 128 * 128);
  EXPECT_EQ(CodeBytes(file, "second"), 128);
  EXPECT_EQ(CodeBytes(file, "third"), std::nullopt);
  for (std::size_t size = 0; size < file.size(); ++size) CodeBytes(file.substr(0, size), "first");
  EXPECT_EQ(CodeBytes("no ELF file", "first"), std::nullopt);
}

TEST(Messages, ThereAndBack) {
  KernelJob job;
  job.ptx = "text";
  job.upload = {1, 2, 3};
  job.launches.push_back({.entry = "e", .blocks = 7, .d = 9});
  const std::string bytes = ToBytes(Question(job));
  Question read;
  ASSERT_TRUE(FromBytes(bytes, read));
  const auto& again = std::get<KernelJob>(read);
  EXPECT_EQ(again.ptx, "text");
  EXPECT_EQ(again.upload, job.upload);
  ASSERT_EQ(again.launches.size(), 1);
  EXPECT_EQ(again.launches[0].blocks, 7);
  EXPECT_EQ(again.launches[0].d, 9);
}

TEST(Messages, CutOffBytesAreNone) {
  const std::string bytes = ToBytes(Answer(JobFailure{FailureKind::kKernel, "message", "hint"}));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Answer read;
    EXPECT_FALSE(FromBytes(bytes.substr(0, size), read)) << size;
  }
  Answer read;
  EXPECT_FALSE(FromBytes(bytes + "x", read));
  EXPECT_FALSE(FromBytes("\xff", read));
}

TEST(Disassembly, BetweenTheReadingsOfTheClock) {
  const char* listing =
      ".text.other:\n        /*0000*/  CS2R R2, SR_CLOCKLO ;\n        /*0010*/  NOP ;\n"
      ".text.wanted:\n        /*0000*/  MOV R1, c[0x0] ;\n"
      "        /*0010*/                   CS2R R2, SR_CLOCKLO ;\n"
      ".L_x_1:\n        /*0020*/                   FFMA R0, R0, R1, R2 ;\n"
      "        /*0030*/                   CS2R R4, SR_CLOCKLO ;\n        /*0040*/  EXIT ;\n";
  EXPECT_EQ(TimedLines(listing, "wanted"), std::vector<std::string>{"FFMA R0, R0, R1, R2"});
  EXPECT_TRUE(TimedLines(listing, "none").empty());
}

LineProfile TwoParts(double far) {
  LineProfile profile;
  for (int sm = 0; sm < 8; ++sm) {
    profile.sms.push_back(sm);
    profile.cycles.emplace_back();
    for (int line = 0; line < 96; ++line) {
      const bool is_far = (line % 2 == 0) != (sm % 2 == 0);
      profile.cycles.back().push_back(200 + line % 5 + (is_far ? far : 0));
    }
  }
  return profile;
}

TEST(Places, GroupsByNearLines) {
  const LineProfile profile = TwoParts(100);
  const auto groups = ReadGroups(profile);
  ASSERT_EQ(groups.size(), 2);
  EXPECT_EQ(groups[0].sms, (std::vector<int>{0, 2, 4, 6}));
  EXPECT_EQ(groups[1].sms, (std::vector<int>{1, 3, 5, 7}));
  const auto l2 = ReadL2(profile, groups, 0.95);
  ASSERT_TRUE(l2 && l2->far);
  EXPECT_NEAR(l2->near.value, 202, 2);
  EXPECT_NEAR(l2->far->value, 302, 2);
}

TEST(Places, ClustersThatMeetAreOneGpc) {
  const auto gpcs = JoinClusters({{4, 5}, {0, 1}, {6, 7}, {2, 3}, {5, 6}, {1, 0, 3}, {9}});
  ASSERT_EQ(gpcs.size(), 3);
  EXPECT_EQ(gpcs[0].name, "GPC 0");
  EXPECT_EQ(gpcs[0].sms, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(gpcs[1].sms, (std::vector<int>{4, 5, 6, 7}));
  EXPECT_EQ(gpcs[2].name, "apart");
  EXPECT_EQ(gpcs[2].sms, (std::vector<int>{9}));
  EXPECT_TRUE(JoinClusters({}).empty());
}

TEST(Places, NoGroupsWhereAllLinesAreAlike) {
  const LineProfile profile = TwoParts(0);
  EXPECT_TRUE(ReadGroups(profile).empty());
  const auto l2 = ReadL2(profile, {}, 0.95);
  ASSERT_TRUE(l2.has_value());
  EXPECT_FALSE(l2->far.has_value());
  EXPECT_EQ(ReadL2({}, {}, 0.95), std::nullopt);
}

}  // namespace
}  // namespace cyclescope::gpu
