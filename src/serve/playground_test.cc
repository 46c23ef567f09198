// With the model of a machine that this one is not, so that nothing is measured.
#include "serve/playground.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "document/testing/simulated_documents.h"

namespace cyclescope::serve {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;

// What a page gets: names and contents.
struct Events {
  std::vector<std::string> names;
  std::vector<Json> contents;

  // The last one of that name.
  Json Of(const std::string& name) const {
    const auto found = std::find(names.rbegin(), names.rend(), name);
    return found == names.rend() ? Json()
                                 : contents[contents.size() - 1 - (found - names.rbegin())];
  }
};

class PlaygroundTest : public ::testing::Test {
 protected:
  Events Ask(decltype(Question::what) what, bool goes_on = true) {
    Events events;
    playground_.Answer({.tab = "t", .what = std::move(what)},
                       [&events](std::string_view event, std::string_view json) {
                         events.names.emplace_back(event);
                         events.contents.push_back(Json::parse(json));
                       },
                       {.goes_on = [goes_on] { return goes_on; }});
    return events;
  }

  Events AskCode(const std::string& text) {
    return Ask(CodeQuestion{{{.side = "A", .text = text}}});
  }

  Events AskSource(const std::string& text, int line = 0) {
    return Ask(CodeQuestion{
        {{.side = "A", .language = Language::kC, .text = text, .compiler = "gcc", .line = line}}});
  }

  int compiled_ = 0;
  sandbox::ConfinedResult ended_ = {
      .output = "\t.intel_syntax noprefix\n\t.text\nf:\n.L3:\n\tadd\trax, rbx\n\tjmp\t.L3\n"};
  Playground playground_ =
      Playground::Make(
          cyclescope::testing::PortsDocument(),
          {.found = {{.id = "gcc", .name = "gcc 12.2", .path = "/usr/bin/gcc"}}, .why_none = ""},
          [this](const sandbox::ConfinedProgram&, const std::function<bool()>&) {
            ++compiled_;
            return Result<sandbox::ConfinedResult>(ended_);
          })
          .value();
};

TEST_F(PlaygroundTest, SaysWhoseCyclesTheyAre) {
  const Events events = Ask(HostQuestion{});
  EXPECT_THAT(events.names, ElementsAre("host", "done"));
  const Json host = events.Of("host");
  EXPECT_EQ(host["cpu"], "Made Cove");
  EXPECT_EQ(host["architecture"], "x86_64");
  EXPECT_EQ(host["measures"], false);
  EXPECT_EQ(host["has_model"], true);
  EXPECT_EQ(host["compilers"][0]["id"], "gcc");
  EXPECT_FALSE(playground_.measures());
}

TEST_F(PlaygroundTest, ALoopIsPredictedAndNotMeasured) {
  const Events events = AskCode("bswap rdx\nadd rdx, rsi");
  EXPECT_THAT(events.names, ElementsAre("assembly", "predicted", "instructions", "done"));
  EXPECT_EQ(events.Of("assembly")["chosen"], 0);
  // One port takes a part of each bswap.
  EXPECT_NEAR(events.Of("predicted")["blocks"][0]["predicted"]["cycles"].get<double>(), 1, 0.05);
  EXPECT_THAT(events.Of("instructions")["texts"], ElementsAre("bswap rdx", "add rdx, rsi"));
}

TEST_F(PlaygroundTest, TwoVersionsAreComparedInWords) {
  const Events events = Ask(CodeQuestion{
      {{.side = "A", .text = "add rdx, rsi"}, {.side = "B", .text = "bswap rdx\nadd rdx, rsi"}}});
  EXPECT_THAT(events.names, ElementsAre("assembly", "assembly", "predicted", "difference",
                                        "instructions", "done"));
  EXPECT_THAT(events.Of("difference")["sentences"][0].get<std::string>(),
              HasSubstr("by the model, B takes 5.00 times the cycles per iteration of A"));
}

TEST_F(PlaygroundTest, OneOfTwoSyntaxesHasToBeChosen) {
  const Events events =
      Ask(CodeQuestion{{{.side = "A", .text = "add rdx, rsi"},
                        {.side = "B", .att_syntax = true, .text = "add %rsi, %rdx"}}});
  EXPECT_THAT(events.names, ElementsAre("assembly", "assembly", "error", "done"));
  EXPECT_THAT(events.Of("error")["message"].get<std::string>(), HasSubstr("choose the same"));
}

TEST_F(PlaygroundTest, WhatIsWrongIsSaidAtItsLine) {
  const Events events = AskCode("add rdx, rsi\nnonsense");
  EXPECT_THAT(events.names, ElementsAre("assembly", "done"));
  const Json assembly = events.Of("assembly");
  EXPECT_NE(assembly["trouble"], "");
  EXPECT_EQ(assembly["messages"][0]["line"], 2);
  EXPECT_EQ(assembly["messages"][0]["severity"], "error");
}

TEST_F(PlaygroundTest, WhatIsNotWantedAnyMoreIsLeftOut) {
  const Events events = Ask(CodeQuestion{{{.side = "A", .text = "add rdx, rsi"}}}, false);
  EXPECT_THAT(events.names, ElementsAre("assembly", "done"));
}

TEST_F(PlaygroundTest, InstructionsAreThoseOfTheModel) {
  const Events all = Ask(FormsQuestion{});
  EXPECT_EQ(all.Of("forms")["of"], 5);
  // What begins so comes first, whether or not the case is the same.
  const Events found = Ask(FormsQuestion{.search = "A"});
  EXPECT_EQ(found.Of("forms")["texts"][0], "add rax, rbx");
  EXPECT_EQ(found.Of("forms")["texts"][1], "add rax, qword ptr [rbx]");
  EXPECT_EQ(found.Of("forms")["texts"][2], "bswap rax");
  // By LLVM's name, too; and the forms of one mnemonic alone.
  EXPECT_THAT(Ask(FormsQuestion{.search = "add64rm"}).Of("forms")["texts"],
              ElementsAre("add rax, qword ptr [rbx]"));
  EXPECT_THAT(Ask(FormsQuestion{.search = "", .mnemonic = "bswap"}).Of("forms")["texts"],
              ElementsAre("bswap rax"));
  EXPECT_THAT(Ask(FormsQuestion{.search = "zzz"}).Of("forms")["texts"], IsEmpty());
}

TEST_F(PlaygroundTest, OneInstructionIsLookedUp) {
  const Events known = Ask(InstructionQuestion{.text = "bswap rdx"});
  EXPECT_THAT(known.names, ElementsAre("instructions", "done"));
  EXPECT_EQ(known.Of("instructions")["document"]["instructions"][0]["text"], "bswap rax");
  const Events unknown = Ask(InstructionQuestion{.text = "divsd xmm0, xmm1"});
  EXPECT_THAT(unknown.names, ElementsAre("error", "done"));
  EXPECT_THAT(unknown.Of("error")["message"].get<std::string>(), HasSubstr("model does not have"));
  const Events ports = Ask(PortsQuestion{{.text = "bswap rdx"}});
  EXPECT_EQ(ports.Of("instructions")["document"]["instructions"][0]["ports"].size(), 2U);
}

TEST_F(PlaygroundTest, ASourceIsCompiledOnceForEachText) {
  EXPECT_EQ(AskSource("text").Of("assembly")["loops"].size(), 1U);
  AskSource("text", 7);
  EXPECT_EQ(compiled_, 1);
  AskSource("another");
  EXPECT_EQ(compiled_, 2);
  AskSource("text");
  EXPECT_EQ(compiled_, 2);
}

TEST_F(PlaygroundTest, ACompilerThatWasEndedIsTriedAgain) {
  const sandbox::ConfinedResult good = ended_;
  ended_ = {.ending = sandbox::ConfinedEnding::kTimedOut};
  EXPECT_THAT(AskSource("text").Of("assembly")["trouble"].get<std::string>(),
              HasSubstr("longer than it may"));
  ended_ = good;
  EXPECT_EQ(AskSource("text").Of("assembly")["loops"].size(), 1U);
}

}  // namespace
}  // namespace cyclescope::serve
