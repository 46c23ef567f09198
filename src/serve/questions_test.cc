#include "serve/questions.h"

#include <gtest/gtest.h>

#include <string>

namespace cyclescope::serve {
namespace {

TEST(Questions, ReadsCode) {
  const auto parsed = ParseQuestion(
      "/api/code",
      R"({"tab":"t","codes":[{"side":"A","language":"c++","text":"int x;","compiler":"gcc",)"
      R"("flags":["-O2"],"line":3},{"side":"B","language":"assembly","att":true,"text":"nop",)"
      R"("loop":1}]})");
  ASSERT_TRUE(parsed);
  ASSERT_TRUE(*parsed) << parsed->error().ToString();
  EXPECT_EQ((*parsed)->tab, "t");
  const auto& codes = std::get<CodeQuestion>((*parsed)->what).codes;
  ASSERT_EQ(codes.size(), 2U);
  EXPECT_EQ(codes[0].language, Language::kCpp);
  EXPECT_EQ(codes[0].flags, std::vector<std::string>{"-O2"});
  EXPECT_EQ(codes[0].line, 3);
  EXPECT_FALSE(codes[0].loop);
  EXPECT_EQ(codes[1].language, Language::kAssembly);
  EXPECT_TRUE(codes[1].att_syntax);
  EXPECT_EQ(codes[1].loop, 1);
}

TEST(Questions, ReadsOthers) {
  const auto instruction = ParseQuestion("/api/instruction", R"({"tab":"t","text":"nop"})");
  EXPECT_EQ(std::get<InstructionQuestion>((*instruction)->what).text, "nop");
  const auto ports = ParseQuestion("/api/ports", R"({"tab":"t","text":"nop","att":true})");
  EXPECT_EQ(std::get<PortsQuestion>((*ports)->what).instruction.text, "nop");
  EXPECT_TRUE(std::get<PortsQuestion>((*ports)->what).instruction.att_syntax);
  const auto forms = ParseQuestion("/api/forms", R"({"tab":"t","search":"add"})");
  EXPECT_EQ(std::get<FormsQuestion>((*forms)->what).search, "add");
  const auto alike = ParseQuestion("/api/forms", R"({"tab":"t","search":"","mnemonic":"add"})");
  EXPECT_EQ(std::get<FormsQuestion>((*alike)->what).mnemonic, "add");
  EXPECT_TRUE(std::holds_alternative<CancelQuestion>(
      (*ParseQuestion("/api/cancel", R"({"tab":"t"})"))->what));
  EXPECT_TRUE(
      std::holds_alternative<HostQuestion>((*ParseQuestion("/api/host", R"({"tab":"t"})"))->what));
}

TEST(Questions, ThereAreNoOtherPaths) {
  for (const char* path : {"/", "/api", "/api/code/", "/etc/passwd", "/api/../etc/passwd", ""})
    EXPECT_FALSE(ParseQuestion(path, "{}")) << path;
}

TEST(Questions, RefusesWhatIsNone) {
  const std::string long_text(2 << 20, 'x');
  for (const std::string& body : {
           std::string(),
           std::string("["),
           std::string("[]"),
           std::string("{}"),
           std::string(R"({"tab":1,"codes":[]})"),
           std::string(R"({"tab":"t"})"),
           std::string(R"({"tab":"t","codes":[]})"),
           std::string(R"({"tab":"t","codes":[1]})"),
           std::string(R"({"tab":"t","codes":[{"side":"A","language":"rust","text":""}]})"),
           std::string(R"({"tab":"t","codes":[{"side":"A","language":"c"}]})"),
           std::string(
               R"({"tab":"t","codes":[{"side":"A","language":"c","text":"","flags":"-O2"}]})"),
           std::string(R"({"tab":"t","codes":[{"side":"A","language":"c","text":"","line":-1}]})"),
           std::string(
               R"({"tab":"t","codes":[{"side":"A","language":"c","text":"","line":1e300}]})"),
           R"({"tab":"t","codes":[{"side":"A","language":"c","text":")" + long_text + R"("}]})",
           std::string(R"({"tab":"t","codes":[{"side":"A","language":"c","text":""},)"
                       R"({"side":"A","language":"c","text":""}]})"),
       }) {
    const auto parsed = ParseQuestion("/api/code", body);
    ASSERT_TRUE(parsed);
    ASSERT_FALSE(*parsed) << body.substr(0, 200);
    EXPECT_EQ(parsed->error().kind, ErrorKind::kBadInput);
  }
  // Deeply nested text is refused, and takes no stack.
  const auto nested = ParseQuestion("/api/code", std::string(500'000, '['));
  EXPECT_FALSE(*nested);
}

}  // namespace
}  // namespace cyclescope::serve
