#include "document/json_cursor.h"

#include <fmt/format.h>

#include <limits>

namespace cyclescope::json {
namespace {

std::string_view TypeName(const Tree& tree) {
  switch (tree.type()) {
    case Tree::value_t::null:
      return "null";
    case Tree::value_t::object:
      return "an object";
    case Tree::value_t::array:
      return "a list";
    case Tree::value_t::string:
      return "a text";
    case Tree::value_t::boolean:
      return "true or false";
    default:
      return "a number";
  }
}

template <typename Integer>
void ReadWholeNumber(const Cursor& at, Integer& value) {
  const Tree& tree = at.tree();
  if (!tree.is_number()) return at.ComplainOfType("a whole number");
  // The parser keeps what is not below zero and fits 64 bits as unsigned; all else is no count.
  constexpr std::uint64_t kMaxInteger = std::numeric_limits<Integer>::max();
  if (!tree.is_number_unsigned() || tree.get<std::uint64_t>() > kMaxInteger) {
    return at.Complain(
        fmt::format("is {}, a whole number from 0 to {} is needed", Shown(tree), kMaxInteger));
  }
  value = static_cast<Integer>(tree.get<std::uint64_t>());
}

}  // namespace

std::string Cursor::Path() const {
  if (parent_ == nullptr) return "the document";
  const std::string above = parent_->parent_ == nullptr ? "" : parent_->Path();
  if (key_.empty()) return fmt::format("{}[{}]", above, index_);
  return above.empty() ? std::string(key_) : fmt::format("{}.{}", above, key_);
}

void Cursor::Complain(std::string_view what) const {
  if (!*complaint_) *complaint_ = fmt::format("{} {}", Path(), what);
}

void Cursor::ComplainOfType(std::string_view needed) const {
  Complain(fmt::format("is {}, {} is needed", TypeName(*tree_), needed));
}

const Tree* Cursor::Find(std::string_view key) const {
  if (!tree_->is_object()) {
    ComplainOfType("an object");
    return nullptr;
  }
  const auto found = tree_->find(key);
  return found == tree_->end() ? nullptr : &*found;
}

std::string Shown(const Tree& tree) {
  constexpr std::size_t kMaxCharacters = 40;
  std::string text = tree.dump(-1, ' ', /*ensure_ascii=*/true, Tree::error_handler_t::replace);
  if (text.size() > kMaxCharacters) text.replace(kMaxCharacters, std::string::npos, "...");
  return text;
}

void Read(const Cursor& at, std::string& value) {
  if (!at.tree().is_string()) return at.ComplainOfType("a text");
  value = at.tree().get_ref<const std::string&>();
}

void Read(const Cursor& at, bool& value) {
  if (!at.tree().is_boolean()) return at.ComplainOfType("true or false");
  value = at.tree().get<bool>();
}

void Read(const Cursor& at, int& value) { ReadWholeNumber(at, value); }
void Read(const Cursor& at, std::int64_t& value) { ReadWholeNumber(at, value); }
void Read(const Cursor& at, std::uint64_t& value) { ReadWholeNumber(at, value); }

void Read(const Cursor& at, double& value) {
  if (at.tree().is_null()) {
    value = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  if (!at.tree().is_number()) return at.ComplainOfType("a number");
  value = at.tree().get<double>();
}

}  // namespace cyclescope::json
