#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cyclescope/fleet.h"
#include "cyclescope/json.h"
#include "document/packed.h"

namespace cyclescope {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class JudgeFleetFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }

  static Document Node(const std::string& name, double ghz) {
    Document document;
    document.host.name = name;
    document.host.cpu_model = "Made Lake";
    FrequencyRow row;
    row.core_ghz.value = ghz;
    row.core_ghz.low = 0.999 * ghz;
    row.core_ghz.high = 1.001 * ghz;
    row.self_check_passed = true;
    document.frequency.push_back(row);
    return document;
  }

  std::filesystem::path folder_;
};

TEST_F(JudgeFleetFilesTest, AFolderAtAnyDepth) {
  for (int i = 1; i <= 5; ++i) {
    const std::string name = "n" + std::to_string(i);
    const std::string text = ToJson(Node(name, i == 3 ? 2.0 : 3.6));
    if (i == 5) {
      Write("out/" + name + "/cyclescope.json.gz", Gzipped(text));
    } else {
      Write("out/" + name + "/cyclescope.json", text);
    }
  }
  Write("out/n1/cyclescope.html", "<html>");
  Write("out/n6/cyclescope.json", "");
  Document verdict;
  verdict.fleet.emplace();
  Write("out/fleet.json", ToJson(verdict));
  const auto document = JudgeFleet({.results = {(folder_ / "out").string()}});
  ASSERT_TRUE(document) << document.error().ToString();
  EXPECT_EQ(document->config.command, "fleet");
  const Fleet& fleet = *document->fleet;
  EXPECT_EQ(fleet.slow, 1);
  EXPECT_EQ(fleet.normal, 4);
  EXPECT_EQ(fleet.nodes[0].name, "n3");
  ASSERT_THAT(fleet.nodes[0].sources, SizeIs(1));
  EXPECT_THAT(fleet.nodes[0].sources[0], HasSubstr("n3/cyclescope.json"));
  ASSERT_THAT(fleet.unread, SizeIs(1));
  EXPECT_THAT(fleet.unread[0].reason, HasSubstr("it is empty"));
}

TEST_F(JudgeFleetFilesTest, WhatCannotBeJudgedIsAnError) {
  const auto message = [](const FleetRequest& request) {
    const auto document = JudgeFleet(request);
    return document ? std::string("none") : document.error().ToString();
  };
  EXPECT_THAT(message({}), HasSubstr("no results given"));
  EXPECT_THAT(message({.results = {(folder_ / "nothing").string()}}),
              HasSubstr("no file or folder"));
  EXPECT_THAT(message({.results = {folder_.string()}}), HasSubstr("no result in the folder"));
  const std::string text = Write("a.json", "{}");
  EXPECT_THAT(message({.results = {text}}), HasSubstr("none of 1 files is a result"));
  EXPECT_THAT(message({.results = {text}, .false_alarms = 0}), HasSubstr("between 0 and 1"));
  EXPECT_THAT(message({.results = {text}, .threshold = -1}), HasSubstr("0 or more"));
}

TEST_F(JudgeFleetFilesTest, TheOrderOfFilesChangesNothing) {
  std::vector<std::string> files;
  for (int i = 1; i <= 6; ++i) {
    const std::string name = "n" + std::to_string(i);
    files.push_back(Write(name + ".json", ToJson(Node(name, 3 + 0.001 * i))));
  }
  const auto forward = JudgeFleet({.results = files});
  std::ranges::reverse(files);
  const auto backward = JudgeFleet({.results = files});
  ASSERT_TRUE(forward && backward);
  EXPECT_EQ(*forward->fleet, *backward->fleet);
}

TEST_F(JudgeFleetFilesTest, EndsWhenTold) {
  const std::string file = Write("n1.json", ToJson(Node("n1", 3)));
  const auto document = JudgeFleet({.results = {file}}, [](const Progress&) { return false; });
  ASSERT_TRUE(document);
  EXPECT_TRUE(document->partial);
}

TEST_F(JudgeFleetFilesTest, WhatCannotBeReadIsNamed) {
  for (const std::string name : {"n1", "n2", "n3"})
    Write("out/" + name + "/cyclescope.json", ToJson(Node(name, 3.6)));
  // A folder in the place of a file holds nothing; a link that leads nowhere is no result.
  std::filesystem::create_directories(folder_ / "out/n4/cyclescope.json");
  std::filesystem::create_symlink(folder_ / "nowhere", folder_ / "out/n5.json");
  const std::filesystem::path locked = folder_ / "out/n6";
  std::filesystem::create_directories(locked);
  std::filesystem::permissions(locked, std::filesystem::perms::none);
  std::error_code error;
  const bool may_all =
      std::filesystem::directory_iterator(locked, error) != std::filesystem::directory_iterator() ||
      !error;
  const auto document = JudgeFleet({.results = {(folder_ / "out").string()}}, {});
  std::filesystem::permissions(locked, std::filesystem::perms::owner_all);
  ASSERT_TRUE(document) << document.error().ToString();
  EXPECT_THAT(document->fleet->nodes, SizeIs(3));
  if (may_all) return;  // the superuser
  ASSERT_THAT(document->fleet->unread, SizeIs(1));
  EXPECT_EQ(document->fleet->unread[0].source, locked.string());
  EXPECT_THAT(document->fleet->unread[0].reason, HasSubstr("cannot read the folder"));
}

}  // namespace
}  // namespace cyclescope
