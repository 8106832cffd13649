#include "core/input/tables.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/base/numbers.h"
#include "tests/core/test_files.h"

namespace headscope::formats {

namespace {

TEST(Csv, HeaderNamesTheColumnsAndRowsAreSteps) {
  const auto series = parseSeries("temperature,pressure\n20.5,1\n-3e2,+4\n", "a.csv");
  EXPECT_EQ(series->name, "a.csv");
  EXPECT_EQ(series->channels, (std::vector<std::string>{"temperature", "pressure"}));
  EXPECT_EQ(series->values.shape(), (Shape{2, 2}));
  EXPECT_EQ(series->values.values(), (std::vector<float>{20.5F, 1, -300, 4}));
}

TEST(Csv, WhatSpreadsheetsWriteIsRead) {
  // Byte order mark, CRLF, quotes, blanks, an empty line, no line end at the end.
  const auto series = parseSeries("\xEF\xBB\xBF\"a, b\", c \r\n\r\n \"1\" , 2\r\n3,4", "a.csv");
  EXPECT_EQ(series->channels, (std::vector<std::string>{"a, b", "c"}));
  EXPECT_EQ(series->values.values(), (std::vector<float>{1, 2, 3, 4}));
  EXPECT_EQ(parseSeries(",b\n1,2\n", "a.csv")->channels[0], "column 1");
  EXPECT_EQ(parseSeries("a\n−3\n", "a.csv")->values.at({0, 0}), -3.0F);
}

TEST(Csv, RaggedRowsNameTheirLine) {
  expectUserError([] { parseSeries("a,b,c\n1,2,3\n4,5\n", "e.csv"); },
                  "e.csv, line 3 has 2 numbers where the header names 3; give every row the same");
  expectUserError([] { parseSeries("a,b\n\n\n1,2,3\n", "e.csv"); },
                  "e.csv, line 4 has 3 numbers where the header names 2");
}

TEST(Csv, WordsForNumbersNameLineAndColumn) {
  expectUserError([] { parseSeries("a,pressure\n1,2\n3,high\n", "e.csv"); },
                  "e.csv, line 3, column 2 (pressure): \"high\" is not a number");
  expectUserError([] { parseSeries("a,b\n1,2 bar\n", "e.csv"); }, "\"2 bar\" is not a number");
  expectUserError([] { parseSeries("a,b\n1,0x10\n", "e.csv"); }, "\"0x10\" is not a number");
  expectUserError([] { parseSeries("a,b\n\"0,5\",1\n", "e.csv"); },
                  "line 2, column 1 (a): \"0,5\" has a comma; write decimals with a point");
  expectUserError([] { parseSeries("a,b\n1,\n", "e.csv"); }, "line 2, column 2 (b) needs a number");
  expectUserError([] { parseSeries("a,b\n1," + std::string(5000, 'x') + "\n", "e.csv"); },
                  std::string(3, 'x') + "\u2026\"");  // the cell is cut in the message
}

TEST(Csv, NumbersMustBeFinite) {
  for (const char* text : {"nan", "inf", "-Infinity", "1e39", "1e999"}) {
    expectUserError([&] { parseSeries(std::string("a\n") + text + "\n", "e.csv"); },
                    std::string("e.csv, line 2, column 1 (a) cannot be ") + text);
  }
  EXPECT_EQ(parseSeries("a\n1e-60\n", "e.csv")->values.at({0, 0}), 0.0F);
}

TEST(Csv, HeaderMustBeNames) {
  expectUserError([] { parseSeries("1,2\n3,4\n", "e.csv"); },
                  "line 1: the header has numbers only");
  expectUserError([] { parseSeries("a,\xFF\n3,4\n", "e.csv"); }, "line 1, column 2", "not UTF-8");
  expectUserError([] { parseSeries(std::string(5000, ',') + "\n", "e.csv"); },
                  "more than 4096 columns");
}

TEST(Csv, SomethingMustBeInIt) {
  expectUserError([] { parseSeries("", "e.csv"); }, "e.csv is empty");
  expectUserError([] { parseSeries("a,b\n", "e.csv"); }, "e.csv has a header but no rows");
}

TEST(Csv, QuotesMustMatch) {
  expectUserError([] { parseSeries("a,b\n\"1,2\n3,4\n", "e.csv"); }, "e.csv", "quot");
  expectUserError([] { parseSeries("a,b\n1,\"2\"x\n", "e.csv"); }, "e.csv, line 2", "quot");
}

TEST(Csv, FilesAreNamedInMessages) {
  const TempFolder folder;
  EXPECT_EQ(readSeries(folder.file("ok.csv", "a\n1\n"))->values.size(), 1);
  expectUserError([&] { readSeries(folder / "none.csv"); }, "none.csv", "No such file");
  expectUserError([&] { readSeries(folder.path()); }, "cannot read");
  const auto large = folder.file("large.csv", "a\n1\n");
  std::filesystem::resize_file(large, std::uintmax_t{65} << 20);
  expectUserError([&] { readSeries(large); }, "large.csv has 65.0 MB; the limit is 64 MB");
}

}  // namespace

// Typed and pasted numbers: the accepted ones, and the messages for the refused ones.

namespace {

TEST(NumberText, WhatPeopleTypeIsRead) {
  EXPECT_EQ(parseNumber("0.5", "X"), 0.5F);
  EXPECT_EQ(parseNumber(" 1e-3 ", "X"), 1e-3F);
  EXPECT_EQ(parseNumber("−3", "X"), -3.0F);
  EXPECT_EQ(parseNumber("-3", "X"), -3.0F);
  EXPECT_EQ(parseNumber("+2", "X"), 2.0F);
  EXPECT_EQ(parseNumber("3e38", "X"), 3e38F);
}

TEST(NumberText, ADifferenceTellsHowNearlyZeroItIs) {
  EXPECT_EQ(nearZeroText(3.6123e-7), "3.6e-07");
  EXPECT_EQ(nearZeroText(0.0123), "0.012");
  EXPECT_EQ(nearZeroText(0.0), "0");
}

TEST(NumberText, WhatIsNoneIsRefusedByName) {
  for (const char* text : {"lots", "1 2", "0x10", "--1", "-+1", "−-1", "1.5.2", "½"}) {
    expectUserError([&] { parseNumber(text, "W_Q[3, 17]"); },
                    std::string("W_Q[3, 17]: \"") + text + "\" is not a number");
  }
  expectUserError([] { parseNumber("0,5", "W_Q[3, 17]"); },
                  "W_Q[3, 17]: \"0,5\" has a comma; write decimals with a point");
  expectUserError([] { parseNumber("  ", "b_O[1]"); }, "b_O[1] needs a number");
  for (const char* text : {"nan", "inf", "-inf", "−inf", "1e39", "-1e999"}) {
    expectUserError([&] { parseNumber(text, "x[0, 1, 2]"); },
                    std::string("x[0, 1, 2] cannot be ") + text + ": give a number");
  }
}

TEST(CellTable, RowsAreLinesAndTabsSeparate) {
  const Tensor t = parseCellTable("1\t2.5\t−3\r\n4\t5e-1\t\"6\"\n");
  EXPECT_EQ(t.shape(), (Shape{2, 3}));
  EXPECT_EQ(t.values(), (std::vector<float>{1, 2.5F, -3, 4, 0.5F, 6}));
  EXPECT_EQ(parseCellTable("7").shape(), (Shape{1, 1}));
  EXPECT_EQ(parseCellTable("1\n2\n\n").shape(), (Shape{2, 1}));
}

TEST(CellTable, WhatIsWrongIsNamedByRowAndColumn) {
  expectUserError([] { parseCellTable("1\t2\n3\tmany\n"); },
                  "row 2, column 2: \"many\" is not a number");
  expectUserError([] { parseCellTable("1\tnan\n"); }, "row 1, column 2 cannot be nan");
  expectUserError([] { parseCellTable("1\t\t3\n"); }, "row 1, column 2 needs a number");
  expectUserError([] { parseCellTable("1,2\n"); }, "row 1, column 1: \"1,2\" has a comma");
  expectUserError([] { parseCellTable("1\t2\n3\t4\n5\n"); },
                  "row 3 has 1 number where the first has 2");
  expectUserError([] { parseCellTable("1\t2\n3\t4\t5"); },
                  "row 2 has 3 numbers where the first has 2");
  expectUserError([] { parseCellTable("1\t2\n\n3\tmany\n"); }, "row 3, column 2");
  expectUserError([] { parseCellTable("1\t\"2\n"); }, "row 1: a quotation mark is out of place");
  expectUserError([] { parseCellTable(""); }, "there are no numbers to paste");
  expectUserError([] { parseCellTable(std::string((std::size_t{64} << 20) + 1, '1')); },
                  "the clipboard has 64.0 MB; the limit is 64 MB");
}

TEST(CellTable, WhatIsPrintedIsReadAgainToTheBit) {
  const std::vector<float> values{0.1F, -1.0F / 3.0F, 3e38F, 1e-40F, 0.0F, 123456.789F};
  const Tensor t = Tensor::fromValues({3, 2}, values);
  EXPECT_EQ(parseCellTable(printCellTable(t.matrix())).values(), values);
  EXPECT_EQ(parseCellTable(printCellTable(t.matrix().transposed())).values(),
            (std::vector<float>{values[0], values[2], values[4], values[1], values[3], values[5]}));
}

}  // namespace

}  // namespace headscope::formats
