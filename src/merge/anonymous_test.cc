#include "merge/anonymous.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "document/json_writer.h"
#include "document/testing/simulated_documents.h"

namespace cyclescope::merge {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Anonymous, NoTextKeepsANameOrAPath) {
  Document document = testing::FullDocument();
  document.host.name = "payroll-7";
  document.engine->node = "rack3-node9";
  document.engine->job = "8812345";
  ForEachText(document, [](std::string& text) {
    text += " payroll-7 rack3-node9 8812345 /home/alice/src C:\\Users\\alice\\x ~/alice.json";
  });
  document.host.name = "payroll-7";
  document.engine->node = "rack3-node9";
  document.engine->job = "8812345";
  const std::string json = ToJson(WithoutNames(document));
  for (const char* secret : {"payroll-7", "rack3-node9", "8812345", "alice"})
    EXPECT_THAT(json, Not(HasSubstr(secret)));
}

TEST(Anonymous, WhatTheMachineIsStays) {
  Document document = testing::FullDocument();
  document.host.name = "a";
  document.host.kernel = "Linux 6.1.0-43-built-by-alice";
  const Document published = WithoutNames(document);
  EXPECT_EQ(published.host.name, "");
  EXPECT_EQ(published.host.cpu_model, document.host.cpu_model);
  EXPECT_EQ(published.host.microarchitecture, document.host.microarchitecture);
  EXPECT_EQ(published.host.kernel, "Linux 6.1.0");
  ASSERT_EQ(published.instructions.size(), document.instructions.size());
  for (std::size_t i = 0; i < document.instructions.size(); ++i)
    EXPECT_EQ(published.instructions[i].text, document.instructions[i].text);
  EXPECT_EQ(published.config.started, document.config.started);
  EXPECT_EQ(published.tool.commit, document.tool.commit);
}

std::string Published(const std::string& text) {
  Document document = testing::BareDocument();
  document.host.name = "payroll-7";
  document.warnings = {{"steal", text, ""}};
  return WithoutNames(document).warnings.front().message;
}

TEST(Anonymous, ANameMayEndASentenceOrStandInADomain) {
  EXPECT_EQ(Published("seen on payroll-7."), "seen on (left out).");
  EXPECT_EQ(Published("payroll-7.hq.example.org, port 3"), "(left out), port 3");
  EXPECT_EQ(Published("payroll-70 and my-payroll-7"), "payroll-70 and my-payroll-7");
}

TEST(Anonymous, APathMayHaveSpacesInQuotesAndLettersOfAnyLanguage) {
  EXPECT_EQ(Published("cannot read '/home/Alice Smith/a.s': no"), "cannot read '(left out)': no");
  EXPECT_EQ(Published("see \"C:\\Users\\Alice Smith\\a.s\" there"), "see \"(left out)\" there");
  EXPECT_EQ(Published("in /home/m\xC3\xBCller+co/a.s now"), "in (left out) now");
  EXPECT_EQ(Published("file:///home/alice/a.s"), "file:(left out)");
}

TEST(Anonymous, AHostThatIsCalledAsAnInstructionOrARegisterChangesNoResult) {
  Document document = testing::BareDocument();
  InstructionRow row;
  row.text = "add v0.4s, v1.4s, v2.4s";
  row.mnemonic = "add";
  row.origin = "sweep";
  row.latency = {{.from = "v1", .to = "v0"}};
  document.instructions = {row};
  for (const char* name : {"add", "v0", "sweep"}) {
    document.host.name = name;
    const Document published = WithoutNames(document);
    EXPECT_EQ(published.instructions.front().text, row.text) << name;
    EXPECT_EQ(published.instructions.front().origin, "sweep") << name;
    EXPECT_EQ(published.host.name, "");
  }
}

TEST(Anonymous, SlashesThatAreNoPathsStay) {
  Document document = testing::BareDocument();
  document.host.system = "Debian GNU/Linux 12, 1/2, and/or";
  EXPECT_EQ(WithoutNames(document).host.system, "Debian GNU/Linux 12, 1/2, and/or");
}

}  // namespace
}  // namespace cyclescope::merge
