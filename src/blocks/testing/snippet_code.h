// Code of a text, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "blocks/block_code.h"
#include "instructions/testing/planning.h"

namespace cyclescope::blocks {

// A snippet's code as `block` sees it.
inline BlockCode SnippetCode(std::string_view text) {
  const auto planner = instructions::testing::MakePlanner();
  const auto bytes = planner->assembler().AssembleText(text);
  EXPECT_TRUE(bytes.has_value()) << text;
  auto code = ReadBlockCode(planner->assembler(), *bytes);
  EXPECT_TRUE(code.has_value()) << text;
  return code.value_or(BlockCode{});
}

}  // namespace cyclescope::blocks
