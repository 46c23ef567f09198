#include "library/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cyclescope::library {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;

Clock ClockWith(bool trusted) {
  Clock clock;
  clock.jury = Jury{.trusted = trusted, .verdict = "", .chains = {}};
  return clock;
}

// A survey takes a self-check with the frequencies and one with the instructions: the page must not
// say "cannot be trusted" above and "trusted" below.
TEST(DescribeClock, TheLastVerdictIsTheOnlyOne) {
  const Warning untrusted{"untrusted-reference", "cycles cannot be trusted here", ""};
  Document document;
  document.warnings = {{"one-cpu", "there is one CPU only", ""}};
  DescribeClock(ClockWith(false), {untrusted}, document);
  EXPECT_THAT(document.warnings, ElementsAre(Field(&Warning::code, "one-cpu"),
                                             Field(&Warning::code, "untrusted-reference")));
  EXPECT_FALSE(document.clock.jury->trusted);

  DescribeClock(ClockWith(true), {}, document);
  EXPECT_THAT(document.warnings, ElementsAre(Field(&Warning::code, "one-cpu")));
  EXPECT_TRUE(document.clock.jury->trusted);
}

}  // namespace
}  // namespace cyclescope::library
