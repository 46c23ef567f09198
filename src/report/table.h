// A plain text table: columns as wide as their widest cell, two spaces apart, no frame.
//
//   Table table({{"CPU", Align::kRight}, {"status", Align::kLeft}});
//   table.AddRow({"0", "measured"});
//   std::string text = table.ToString();
#pragma once

#include <string>
#include <vector>

namespace cyclescope {

enum class Align { kLeft, kRight };

struct Column {
  std::string title;
  Align align = Align::kLeft;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell per column.
  void AddRow(std::vector<std::string> cells);

  // Every line ends with a line break; none ends with a space. Where a line would be wider than
  // `width`, the text of its last column goes on below itself; 0 keeps it in one line.
  std::string ToString(int width = 0) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// How many columns of a terminal a UTF-8 text takes, counting each character as one.
std::size_t DisplayWidth(std::string_view text);

// Breaks a text at spaces into lines of at most `width`, each after the first preceded by `indent`
// spaces.
std::string Wrap(std::string_view text, std::size_t width, std::size_t indent);

// The same where the first line begins at the left edge of a terminal that wide.
std::string Paragraph(std::string_view text, int terminal_width, std::size_t indent = 2);

}  // namespace cyclescope
