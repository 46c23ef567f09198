#include "os/shared_library.h"

#include <gtest/gtest.h>

namespace cyclescope::os {
namespace {

TEST(SharedLibrary, FindsFunctions) {
  ASSERT_FALSE(WhyNoDrivers());
  const auto library = SharedLibrary::Open("libm.so.6");
  ASSERT_TRUE(library.has_value()) << library.error().ToString();
  EXPECT_NE(library->Find("cos"), nullptr);
  EXPECT_EQ(library->Find("no_such_function"), nullptr);
}

TEST(SharedLibrary, MissingOneSaysWhich) {
  const auto library = SharedLibrary::Open("libnosuch.so.9");
  ASSERT_FALSE(library.has_value());
  EXPECT_NE(library.error().message.find("libnosuch.so.9"), std::string::npos);
}

}  // namespace
}  // namespace cyclescope::os
