// Whatever a file holds, reading it ends in a document or in one clear error. Damaged documents are
// made here from a valid one, with fixed seeds: the same ones in every run.
#include <gtest/gtest.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "document/json_reader.h"
#include "document/json_writer.h"
#include "document/testing/simulated_documents.h"

namespace cyclescope {
namespace {

using namespace std::string_view_literals;
using Json = nlohmann::json;
using Random = std::mt19937;

constexpr int kRounds = 1000;

std::size_t Below(Random& random, std::size_t limit) {
  return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
}

// What every reading must give, however the text came about.
void ExpectDocumentOrOneClearError(const std::string& text) {
  const Result<Document> document = ParseDocument(text, "a.json");
  if (!document) {
    const Error& error = document.error();
    EXPECT_EQ(error.kind, ErrorKind::kBadInput);
    EXPECT_TRUE(error.message.starts_with("cannot read 'a.json': ")) << error.message;
    EXPECT_LT(error.ToString().size(), 300U) << error.ToString();
    for (const char c : error.ToString()) {
      EXPECT_TRUE(c >= ' ' && c <= '~') << "a control character or not ASCII: " << int{c};
    }
    return;
  }
  // What was accepted is a document in full: it can be written and read again.
  const std::string written = ToJson(*document);
  const Result<Document> again = ParseJson(written, "again.json");
  ASSERT_TRUE(again) << again.error().ToString() << "\nfrom " << text;
}

std::string DamagedBytes(std::string text, Random& random) {
  constexpr std::string_view kBytes = "\0\x01\"\\{}[]:,-+.eE0123456789ntf \n\x80\xff"sv;
  const std::size_t changes = 1 + Below(random, 4);
  for (std::size_t i = 0; i < changes; ++i) {
    const std::size_t place = Below(random, text.size());
    const std::size_t length = 1 + Below(random, 20);
    switch (Below(random, 4)) {
      case 0:
        text[place] = kBytes[Below(random, kBytes.size())];
        break;
      case 1:
        text.erase(place, length);
        break;
      case 2:
        text.insert(place, text.substr(Below(random, text.size()), length));
        break;
      default:
        text.insert(place, 1, kBytes[Below(random, kBytes.size())]);
    }
    if (text.empty()) text.push_back('{');
  }
  return text;
}

// All values of a tree, the root first.
void Collect(Json& tree, std::vector<Json*>& nodes) {
  nodes.push_back(&tree);
  if (!tree.is_structured()) return;
  for (Json& child : tree) Collect(child, nodes);
}

// Valid JSON, wrong content: one value is replaced, doubled or taken away.
void DamageValue(Json& tree, Random& random) {
  static const std::vector<Json> kStrange = {nullptr,
                                             true,
                                             -1,
                                             0,
                                             1.5,
                                             -1e308,
                                             1e308,
                                             18446744073709551615U,
                                             "",
                                             "cas",
                                             "\x1b[2J",
                                             "\u202e",
                                             Json::array(),
                                             Json::object(),
                                             Json::array({Json::array()}),
                                             Json(200, 1),
                                             std::string(1000, '<')};
  std::vector<Json*> nodes;
  Collect(tree, nodes);
  Json& node = *nodes[Below(random, nodes.size())];
  if (node.is_array() && !node.empty() && Below(random, 2) == 0) {
    const std::size_t index = Below(random, node.size());
    if (Below(random, 2) == 0) {
      node.erase(index);
    } else {
      node.push_back(Json(node[index]));
    }
  } else {
    node = kStrange[Below(random, kStrange.size())];
  }
}

TEST(JsonReaderFuzz, DamagedBytes) {
  const std::string text = ToJson(testing::FullDocument());
  Random random(1);
  for (int i = 0; i < kRounds; ++i) {
    ExpectDocumentOrOneClearError(DamagedBytes(text, random));
    if (HasFailure()) FAIL() << "in round " << i;
  }
}

TEST(JsonReaderFuzz, CutOffAnywhere) {
  const std::string text = ToJson(testing::FullDocument());
  constexpr std::size_t kStride = 13;
  for (std::size_t length = 0; length + 2 < text.size(); length += kStride) {
    ExpectDocumentOrOneClearError(text.substr(0, length));
    EXPECT_FALSE(ParseDocument(text.substr(0, length), "a.json")) << length;
  }
}

TEST(JsonReaderFuzz, DamagedValues) {
  const Json whole = Json::parse(ToJson(testing::FullDocument()));
  Random random(2);
  int accepted = 0;
  for (int i = 0; i < kRounds; ++i) {
    Json tree = whole;
    DamageValue(tree, random);
    const std::string text = tree.dump(-1, ' ', false, Json::error_handler_t::replace);
    ExpectDocumentOrOneClearError(text);
    accepted += ParseDocument(text, "a.json").has_value() ? 1 : 0;
    if (HasFailure()) FAIL() << "in round " << i;
  }
  // Both ways out are taken, so that neither half of the check above is idle.
  EXPECT_GT(accepted, kRounds / 20);
  EXPECT_LT(accepted, kRounds * 19 / 20);
}

TEST(JsonReaderFuzz, DamagedCsv) {
  const std::string text = ",,,\n44.1,,,\n45.0,43.9,,\n45.5,46.5,47.5,\n";
  Random random(3);
  for (int i = 0; i < kRounds; ++i) {
    ExpectDocumentOrOneClearError(DamagedBytes(text, random));
    if (HasFailure()) FAIL() << "in round " << i;
  }
}

}  // namespace
}  // namespace cyclescope
