#include "report/table.h"

#include <gtest/gtest.h>

namespace cyclescope {
namespace {

TEST(Table, AlignsItsColumns) {
  Table table({{"CPU", Align::kRight}, {"status", Align::kLeft}, {"GHz", Align::kRight}});
  table.AddRow({"0", "measured", "2.594"});
  table.AddRow({"10", "disturbed", ""});
  EXPECT_EQ(table.ToString(),
            "CPU  status       GHz\n"
            "  0  measured   2.594\n"
            " 10  disturbed\n");
}

TEST(Table, CountsCharactersNotBytes) {
  Table table({{"a"}, {"b"}});
  table.AddRow({"±1", "x"});
  table.AddRow({"100", "y"});
  EXPECT_EQ(table.ToString(), "a    b\n±1   x\n100  y\n");
}

TEST(Wrap, BreaksAtSpaces) {
  EXPECT_EQ(Wrap("one two three", 7, 2), "one two\n  three");
  EXPECT_EQ(Wrap("unbreakable", 4, 2), "unbreakable");
  EXPECT_EQ(Wrap("", 10, 2), "");
}

TEST(Paragraph, NoLineIsWiderThanTheTerminal) {
  const std::string forty(40, 'a');
  const std::string most(38, 'b');
  EXPECT_EQ(Paragraph(forty + ' ' + most + " c", 40), forty + "\n  " + most + "\n  c");
  EXPECT_EQ(Paragraph(forty + ' ' + most, 40, 4), forty + "\n    " + most) << "it has no space";
}

}  // namespace
}  // namespace cyclescope
