// For tests: a root folder with the few files a test is about, and the recorded machines.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string_view>

namespace cyclescope::os {

class FakeRoot {
 public:
  FakeRoot() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(testing::TempDir()) /
            (std::string("cyclescope.") + test->test_suite_name() + "." + test->name());
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;
  ~FakeRoot() { std::filesystem::remove_all(path_); }

  const std::filesystem::path& path() const { return path_; }

  void Write(const std::filesystem::path& file, std::string_view text) const {
    std::filesystem::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file) << text;
  }

 private:
  std::filesystem::path path_;
};

// One of the folders in tests/data/machines.
inline std::filesystem::path RecordedMachine(std::string_view name) {
  const auto path = std::filesystem::path(CYCLESCOPE_TEST_DATA) / "machines" / name;
  EXPECT_TRUE(std::filesystem::is_directory(path)) << path;
  return path;
}

}  // namespace cyclescope::os
