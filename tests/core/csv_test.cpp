#include <gtest/gtest.h>

#include <cmath>

#include "core/formats/tables.h"
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
}

TEST(Csv, RaggedRowsNameTheirLine) {
  expectUserError([] { parseSeries("a,b,c\n1,2,3\n4,5\n", "e.csv"); },
                  "e.csv, line 3: 2 values where the header names 3 columns");
  expectUserError([] { parseSeries("a,b\n\n\n1,2,3\n", "e.csv"); },
                  "e.csv, line 4: 3 values where the header names 2 columns");
}

TEST(Csv, WordsForNumbersNameLineAndColumn) {
  expectUserError([] { parseSeries("a,pressure\n1,2\n3,high\n", "e.csv"); },
                  "e.csv, line 3, column 2 (pressure): \"high\" is not a number");
  expectUserError([] { parseSeries("a,b\n1,2 bar\n", "e.csv"); }, "\"2 bar\" is not a number");
  expectUserError([] { parseSeries("a,b\n1,0x10\n", "e.csv"); }, "\"0x10\" is not a number");
  expectUserError([] { parseSeries("a,b\n1,\n", "e.csv"); }, "line 2, column 2 (b) is empty");
  expectUserError([] { parseSeries("a,b\n1," + std::string(5000, 'x') + "\n", "e.csv"); },
                  "xxx…\"");
}

TEST(Csv, NumbersMustBeFinite) {
  for (const char* text : {"nan", "inf", "-Infinity", "1e39", "1e999"}) {
    expectUserError([&] { parseSeries(std::string("a\n") + text + "\n", "e.csv"); },
                    "e.csv, line 2, column 1 (a)", "\" is not a finite 32-bit number");
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
  expectUserError([&] { readSeries(large); }, "large.csv has 65.0 MB; at most 64 MB");
}

}  // namespace
}  // namespace headscope::formats
