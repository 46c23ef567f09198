#include "os/append_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/try.h"

namespace cyclescope::os {
namespace {

constexpr std::chrono::seconds kBetweenSyncs{1};

}  // namespace

Result<AppendFile> AppendFile::Open(const std::string& path, bool may_be_new) {
  const int flags = O_RDWR | O_APPEND | O_CLOEXEC | (may_be_new ? O_CREAT : 0);
  const int descriptor = open(path.c_str(), flags, 0666);
  if (descriptor < 0) {
    auto error = SystemError(fmt::format("cannot write '{}'", path), errno);
    error.error().kind = ErrorKind::kBadInput;
    return error;
  }
  AppendFile file(path, descriptor);
  // Two programs that append to one file would both measure what the other does. Some file systems
  // of clusters have no locks: there it is on the user.
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return BadInput(fmt::format("'{}' is in use", path),
                    "another program writes to it: wait for its end");
  }
  return file;
}

Result<AppendFile> AppendFile::Create(const std::string& path) {
  auto file = TRY(Open(path, /*may_be_new=*/true));
  struct stat status{};
  if (fstat(file.descriptor_, &status) != 0)
    return SystemError(fmt::format("cannot write '{}'", path), errno);
  // A device such as /dev/null has no size, and takes everything.
  if (status.st_size > 0) return BadInput(fmt::format("'{}' exists already", path));
  return file;
}

Result<AppendFile> AppendFile::Continue(const std::string& path) {
  return Open(path, /*may_be_new=*/false);
}

AppendFile::~AppendFile() {
  if (descriptor_ < 0) return;
  fdatasync(descriptor_);
  close(descriptor_);
}

Result<void> AppendFile::KeepFirst(std::uint64_t size) {
  if (ftruncate(descriptor_, static_cast<off_t>(size)) != 0)
    return SystemError(fmt::format("cannot write '{}'", path_), errno);
  return {};
}

Result<void> AppendFile::Append(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return SystemError(fmt::format("cannot write '{}'", path_), errno);
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  const auto now = std::chrono::steady_clock::now();
  if (now - synced_ < kBetweenSyncs) return {};
  synced_ = now;
  fdatasync(descriptor_);
  return {};
}

}  // namespace cyclescope::os
