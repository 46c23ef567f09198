#include "os/browser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace cyclescope::os {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string ContentsOf(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// A desktop whose xdg-open writes down what it is given.
class BrowserTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "xdg-open")
        << "#!/bin/sh\necho \"$@\" > \"" << (folder_ / "given.new").string() << "\"\nmv \""
        << (folder_ / "given.new").string() << "\" \"" << (folder_ / "given").string() << "\"\n";
    std::filesystem::permissions(folder_ / "xdg-open", std::filesystem::perms::owner_all);
    setenv("PATH", (folder_.string() + ":" + path_).c_str(), 1);
    setenv("XDG_RUNTIME_DIR", folder_.c_str(), 1);
    setenv("DISPLAY", ":0", 1);
  }

  void TearDown() override {
    setenv("PATH", path_.c_str(), 1);
    unsetenv("XDG_RUNTIME_DIR");
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    std::filesystem::remove_all(folder_);
  }

  std::string Given() const {
    while (!std::filesystem::exists(folder_ / "given"))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return ContentsOf(folder_ / "given");
  }

  std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ("browser-" + std::to_string(getpid()));
  std::string path_ = std::getenv("PATH");
};

TEST_F(BrowserTest, ASecretIsInAFileOfTheUserAndInNoCommandLine) {
  std::string file;
  {
    const auto shown = ShownAddress::Show("http://127.0.0.1:8080/?token=secret");
    ASSERT_TRUE(shown) << shown.error().ToString();
    file = Given();
    EXPECT_THAT(file, Not(HasSubstr("secret")));
    file.pop_back();
    EXPECT_THAT(ContentsOf(file), HasSubstr("url=http://127.0.0.1:8080/?token=secret"));
    struct stat status{};
    ASSERT_EQ(stat(file.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U);
  }
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(BrowserTest, WhoComesOverSshSitsAtNoDesktop) {
  unsetenv("SSH_CONNECTION");
  EXPECT_TRUE(HasDesktop());
  setenv("SSH_CONNECTION", "192.0.2.1 50000 192.0.2.2 22", 1);
  EXPECT_FALSE(HasDesktop());
  unsetenv("SSH_CONNECTION");
}

TEST_F(BrowserTest, WithoutADisplayThereIsNone) {
  unsetenv("DISPLAY");
  EXPECT_FALSE(HasDesktop());
  const auto shown = ShownAddress::Show("http://127.0.0.1:8080/");
  ASSERT_FALSE(shown);
  EXPECT_THAT(shown.error().message, HasSubstr("no display"));
}

TEST_F(BrowserTest, WithoutAProgramThatOpensNothingIsLeftBehind) {
  setenv("PATH", "/nonexistent", 1);
  EXPECT_FALSE(ShownAddress::Show("http://127.0.0.1:8080/"));
  std::filesystem::remove(folder_ / "xdg-open");
  EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

}  // namespace
}  // namespace cyclescope::os
