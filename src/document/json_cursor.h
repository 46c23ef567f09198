// A place in a JSON tree that knows its path, so that an error about a value says where it stands.
// Private to the readers of this folder.
//
//   Complaint complaint;
//   Cursor root(tree, complaint);
//   root.Required("cpu", row.cpu);       // complains "cpu is missing"
//   root.Optional("cpus", row.cpus);     // complains "cpus[2] is a text, a whole number is needed"
//   if (complaint) ...
//
// Reading goes on after a complaint, and only the first one is kept: so a reader is a list of
// fields without an early return after each.
//
// A type is read by a function `void Read(const Cursor&, T&)` in namespace cyclescope::json.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cyclescope::json {

using Tree = nlohmann::json;

// What is wrong with a document: the first thing that was found, with its path.
using Complaint = std::optional<std::string>;

class Cursor {
 public:
  Cursor(const Tree& tree, Complaint& complaint) : tree_(&tree), complaint_(&complaint) {}

  // The field of an object; a complaint when it is not there or has a wrong value.
  template <typename T>
  void Required(std::string_view key, T& value) const;

  // The field of an object, if it is there: else, or where it is null, `value` stays as it is.
  template <typename T>
  void Optional(std::string_view key, T& value) const;

  // The elements of an array, in order; a complaint when it is none.
  template <typename Visit>
  void ForEach(Visit visit) const;

  const Tree& tree() const { return *tree_; }

  // True if there was no complaint so far.
  bool fine() const { return !*complaint_; }

  // "instructions[3].latency", or "the document" at the root.
  std::string Path() const;

  // Keeps "PATH what", unless there was a complaint before.
  void Complain(std::string_view what) const;

  // "is a text, `needed` is needed".
  void ComplainOfType(std::string_view needed) const;

 private:
  Cursor(const Tree& tree, const Cursor& parent, std::string_view key)
      : tree_(&tree), complaint_(parent.complaint_), parent_(&parent), key_(key) {}
  Cursor(const Tree& tree, const Cursor& parent, std::size_t index)
      : tree_(&tree), complaint_(parent.complaint_), parent_(&parent), index_(index) {}

  // Null when there is no such field, or this is no object (which is complained of).
  const Tree* Find(std::string_view key) const;

  const Tree* tree_;
  Complaint* complaint_;
  const Cursor* parent_ = nullptr;  // outlives this one: cursors live on the stack, going down
  std::string_view key_;            // in the parent, where that is an object
  std::size_t index_ = 0;           // in the parent, where that is an array
};

// A value as an error may show it: shortened, and in ASCII, since a hostile file may hold what a
// terminal takes for commands.
std::string Shown(const Tree& tree);

void Read(const Cursor& at, std::string& value);
void Read(const Cursor& at, bool& value);
// Every whole number of a document is a count or an index, so that none is below zero.
void Read(const Cursor& at, int& value);
void Read(const Cursor& at, std::int64_t& value);
void Read(const Cursor& at, std::uint64_t& value);
// Null is read as NaN, which is how the writer writes what is not finite.
void Read(const Cursor& at, double& value);

template <typename T>
void Read(const Cursor& at, std::optional<T>& value) {
  Read(at, value.emplace());
}

template <typename T>
void Read(const Cursor& at, std::vector<T>& values) {
  values.clear();
  if (at.tree().is_array()) values.reserve(at.tree().size());
  at.ForEach([&](const Cursor& element) { Read(element, values.emplace_back()); });
}

template <typename T>
void Cursor::Required(std::string_view key, T& value) const {
  if (const Tree* field = Find(key)) {
    Read(Cursor(*field, *this, key), value);
  } else {
    Cursor(*tree_, *this, key).Complain("is missing");
  }
}

template <typename T>
void Cursor::Optional(std::string_view key, T& value) const {
  const Tree* field = Find(key);
  if (field != nullptr && !field->is_null()) Read(Cursor(*field, *this, key), value);
}

template <typename Visit>
void Cursor::ForEach(Visit visit) const {
  if (!tree_->is_array()) {
    ComplainOfType("a list");
    return;
  }
  for (std::size_t i = 0; i < tree_->size() && !*complaint_; ++i) {
    visit(Cursor((*tree_)[i], *this, i));
  }
}

}  // namespace cyclescope::json
