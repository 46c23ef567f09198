// Fresh memory, page by page: which CPU touches a page first decides on which NUMA node it lies.
#pragma once

#include <cstddef>
#include <utility>

#include "cyclescope/base/error.h"

namespace cyclescope::os {

class Pages {
 public:
  // Maps `count` pages and touches none. They are never merged into huge pages, which would be
  // placed as a whole, and whose lines would not be spread over the caches as those of a normal
  // program are.
  static Result<Pages> Map(std::size_t count);

  Pages(Pages&& other) noexcept
      : begin_(std::exchange(other.begin_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~Pages();

  static std::size_t BytesPerPage();
  std::size_t count() const { return count_; }
  std::byte* At(std::size_t page) const { return begin_ + page * BytesPerPage(); }

 private:
  Pages(std::byte* begin, std::size_t count) : begin_(begin), count_(count) {}

  std::byte* begin_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace cyclescope::os
