#include "published/published.h"

#include <gtest/gtest.h>

#include <string>

#include "document/json_reader.h"

namespace cyclescope::published {
namespace {

TEST(Published, NamesAreSmallLettersWithoutBrackets) {
  EXPECT_EQ(NameOf({.microarchitecture = "Emerald Rapids (Raptor Cove)"}), "emerald-rapids");
  EXPECT_EQ(NameOf({.microarchitecture = "Neoverse-V1"}), "neoverse-v1");
  EXPECT_EQ(NameOf({}), "");
}

// What is published is read by this version, is of the machine that its name says, and names no
// host.
TEST(Published, EveryFileIsAResultOfItsMachine) {
  ASSERT_FALSE(Files().empty());
  std::string before;
  for (const PublishedFile& file : Files()) {
    const auto document = ParseFigures(file.bytes, file.name);
    ASSERT_TRUE(document) << document.error().message;
    EXPECT_EQ(NameOf(document->host), file.name);
    EXPECT_EQ(document->host.name, "") << file.name;
    EXPECT_FALSE(document->partial) << file.name;
    EXPECT_LT(before, file.name);
    before = file.name;
  }
}

}  // namespace
}  // namespace cyclescope::published
