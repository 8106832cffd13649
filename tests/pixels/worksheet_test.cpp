// Worksheets as PDF: the first page leaves out what the second one answers.
#include "core/presets/worksheet.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "app/worksheet_pdf.h"
#include "core/document/attention.h"
#include "core/document/trace.h"
#include "tests/core/test_files.h"

namespace headscope {
namespace {

class WorksheetPdf : public testing::Test {
 protected:
  /// The text of one page.
  std::string page(int number) {
    const std::string text = folder_.file("page.txt", "").string();
    const std::string command = fmt::format("pdftotext -f {0} -l {0} -layout {1} {2}", number,
                                            (folder_ / "sheet.pdf").string(), text);
    EXPECT_EQ(std::system(command.c_str()), 0) << command;  // NOLINT(cert-env33-c)
    std::ifstream file(text);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  TempFolder folder_;
};

TEST_F(WorksheetPdf, TheSecondPageHasTheAnswersThatTheFirstAsksFor) {
  constexpr std::uint64_t kSeed = 7;
  writeWorksheet(folder_ / "sheet.pdf", kSeed, *byHandDocument());
  const TracePtr trace = runAttention(worksheetDocument(kSeed, *byHandDocument()));
  const std::string share = fmt::format("{:.2f}", trace->value({TensorId::weights, 0, 1, 2, 0}));
  const std::string asked = page(1), answered = page(2);
  EXPECT_NE(asked.find("sheet 7"), std::string::npos) << asked;
  EXPECT_NE(asked.find("softmax"), std::string::npos) << asked;
  EXPECT_EQ(asked.find(share), std::string::npos) << share << "\n" << asked;
  EXPECT_NE(answered.find(share), std::string::npos) << share << "\n" << answered;
  EXPECT_NE(answered.find("answers"), std::string::npos);
}

}  // namespace
}  // namespace headscope
