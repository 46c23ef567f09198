// For tests: a root folder with the few files a test is about, and the recorded machines.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace cyclescope::os {

class FakeRoot {
 public:
  // A new folder each time, since several builds may run their tests at once.
  FakeRoot() {
    std::string name = testing::TempDir() + "cyclescope.XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
      ADD_FAILURE() << "cannot make a folder like " << name;
    }
    path_ = name;
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
