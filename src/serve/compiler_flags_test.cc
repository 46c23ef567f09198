#include <gtest/gtest.h>

#include "serve/compilers.h"

namespace cyclescope::serve {
namespace {

TEST(CompilerFlags, TakesThoseThatSayHowToCompile) {
  EXPECT_TRUE(CheckFlags({"-O3", "-march=native", "-ffast-math", "-DN=8", "-std=c++20", "-Wall",
                          "-w", "--param=max-unroll-times=4", "-mno-avx"}));
  EXPECT_TRUE(CheckFlags({}));
}

TEST(CompilerFlags, RefusesFilesProgramsAndOtherParts) {
  for (const char* flag : {"-o",
                           "/etc/passwd",
                           "@/etc/passwd",
                           "-I/home",
                           "-include",
                           "-wrapper",
                           "-B/tmp",
                           "-specs=x",
                           "-fplugin=/tmp/x.so",
                           "-fpass-plugin=x",
                           "-Wl,-x",
                           "-Wa,-ahls",
                           "-Wp,-MD,x",
                           "-Xclang",
                           "-x",
                           "-mllvm",
                           "-D",
                           "",
                           "x.c",
                           "-",
                           "-load",
                           "--sysroot=/",
                           "-###",
                           "-v"}) {
    const auto checked = CheckFlags({"-O2", flag});
    ASSERT_FALSE(checked) << flag;
    EXPECT_EQ(checked.error().kind, ErrorKind::kBadInput);
  }
}

TEST(CompilerFlags, RefusesWhatMakesOtherCodeThanIsMeasured) {
  for (const char* flag : {"-m32", "-mx32", "-m16", "-flto", "-flto=auto", "-fsyntax-only"}) {
    const auto checked = CheckFlags({flag});
    ASSERT_FALSE(checked) << flag;
    EXPECT_NE(checked.error().hint.find("64 bits"), std::string::npos) << flag;
  }
  EXPECT_TRUE(CheckFlags({"-m3dnow", "-fno-lto", "-fltrans"}));
}

TEST(CompilerFlags, HasLimits) {
  EXPECT_FALSE(CheckFlags(std::vector<std::string>(65, "-O2")));
  EXPECT_FALSE(CheckFlags({"-D" + std::string(300, 'x')}));
  EXPECT_FALSE(CheckFlags({std::string("-Dx\0y", 5)}));
}

}  // namespace
}  // namespace cyclescope::serve
