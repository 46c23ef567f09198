#include "document/packed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "document/json_reader.h"
#include "document/testing/simulated_documents.h"

namespace cyclescope {
namespace {

using ::testing::HasSubstr;

TEST(Packed, AFileOfGzipIsUnpackedToWhatItWas) {
  std::string large;
  for (int i = 0; i < 100'000; ++i) large += std::to_string(i);
  for (const std::string& text : {std::string(), std::string("a"), std::string(5, '\0'), large}) {
    const std::string bytes = Gzipped(text);
    EXPECT_TRUE(IsGzipped(bytes));
    const auto unpacked = Gunzipped(bytes, "a.gz");
    ASSERT_TRUE(unpacked) << unpacked.error().ToString();
    EXPECT_TRUE(*unpacked == text) << text.size();
  }
}

TEST(Packed, ADocumentIsReadPackedOrNot) {
  const std::string json = ToJson(testing::FullDocument());
  EXPECT_FALSE(IsGzipped(json));
  const std::string bytes = Gzipped(json);
  EXPECT_LT(bytes.size(), json.size() / 2);
  const auto document = ParseDocument(bytes, "a.json.gz");
  ASSERT_TRUE(document) << document.error().ToString();
  EXPECT_EQ(ToJson(*document), json);
}

TEST(Packed, FiguresAreReadPackedOrNot) {
  const std::string json = ToJson(testing::FullDocument());
  const auto packed = ParseFigures(Gzipped(json), "a.json.gz");
  ASSERT_TRUE(packed) << packed.error().ToString();
  EXPECT_EQ(ToJson(*packed), ToJson(*ParseFigures(json, "a.json")));
  EXPECT_FALSE(ParseFigures("hello", "x"));
  EXPECT_FALSE(ParseFigures("\x1f\x8b\x08garbage", "x"));
}

TEST(Packed, ResultsAreCalledJson) {
  EXPECT_TRUE(IsResultName("out/a.json"));
  EXPECT_TRUE(IsResultName("out/a.json.gz"));
  EXPECT_FALSE(IsResultName("out/a.json.html"));
  EXPECT_FALSE(IsResultName("out/a.gz"));
}

TEST(Packed, WhatIsDamagedOrCutOffIsRefused) {
  const std::string bytes = Gzipped("a text of some length that can be packed");
  for (std::size_t length = 2; length < bytes.size(); ++length) {
    const auto unpacked = Gunzipped(bytes.substr(0, length), "a.gz");
    ASSERT_FALSE(unpacked) << length;
    EXPECT_THAT(unpacked.error().message, HasSubstr("damaged"));
  }
  EXPECT_FALSE(Gunzipped(bytes + "more", "a.gz"));
  std::string changed = bytes;
  changed[changed.size() - 6] ^= 1;  // of the checksum
  EXPECT_FALSE(Gunzipped(changed, "a.gz"));
}

TEST(Packed, WhatUnpacksToTooMuchIsRefused) {
  const std::string bytes = Gzipped(std::string(1 << 20, 'a'));
  EXPECT_TRUE(Gunzipped(bytes, "a.gz", 1 << 20));
  const auto unpacked = Gunzipped(bytes, "a.gz", 1 << 19);
  ASSERT_FALSE(unpacked);
  EXPECT_THAT(unpacked.error().message, HasSubstr("more than"));
}

}  // namespace
}  // namespace cyclescope
