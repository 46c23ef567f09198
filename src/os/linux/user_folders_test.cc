#include "os/user_folders.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace cyclescope::os {
namespace {

class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(StateFolder, IsNamedByTheEnvironment) {
  const Variable state("XDG_STATE_HOME", "/state");
  EXPECT_EQ(StateFolder(), "/state");
}

TEST(StateFolder, LiesInTheHomeFolderElse) {
  const Variable home("HOME", "/home/anna");
  for (const char* value : {static_cast<const char*>(nullptr), "", "relative/folder"}) {
    const Variable state("XDG_STATE_HOME", value);
    EXPECT_EQ(StateFolder(), "/home/anna/.local/state");
  }
}

TEST(StateFolder, MayBeUnknown) {
  const Variable state("XDG_STATE_HOME", nullptr);
  const Variable home("HOME", nullptr);
  EXPECT_FALSE(StateFolder());
}

}  // namespace
}  // namespace cyclescope::os
