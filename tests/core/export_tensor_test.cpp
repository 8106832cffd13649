// Tensors as files: .npy byte for byte, .npz entry by entry, CSV that reads back to the same
// float32, and which tensor a name means.
#include "core/formats/export_tensor.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <sstream>

#include "core/attention/config.h"
#include "core/attention/switches.h"
#include "core/editing/make_document.h"
#include "core/formats/numpy_files.h"
#include "core/tensor/safetensors.h"
#include "tests/core/support/cases.h"
#include "tests/core/test_files.h"

namespace headscope::formats {
namespace {

using test::sized;
using test::with;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

TracePtr passOf(const AttentionConfig& config) {
  return runAttention(test::randomDocument(config), nullptr, {});
}

AttentionConfig causalBatch() {
  return with(sized(8, 2, 3), [](auto& c) {
    c.batch = 2;
    c.mask.causal = true;
  });
}

std::vector<std::vector<std::string>> cells(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream text(csv);
  for (std::string line; std::getline(text, line);) {
    std::istringstream row(line);
    rows.emplace_back();
    for (std::string cell; std::getline(row, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

std::string csvOf(const Trace& trace, TensorId id) {
  const TempFolder folder;
  exportTensor(folder / "t.csv", trace, id, TensorFormat::csv);
  return readAll(folder / "t.csv");
}

/// The bytes of a .npy file of this header, filled to 64, and these values.
std::string npyBytes(std::string header, const std::vector<float>& values) {
  header.resize(64 * ((10 + header.size() + 1 + 63) / 64) - 11, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size());
  bytes += '\0';
  bytes += header;
  return bytes + std::string(reinterpret_cast<const char*>(values.data()), values.size() * 4);
}

TEST(Npy, IsWrittenByteForByte) {
  const TempFolder folder;
  const std::vector<float> values{1.5F, -kInfinity, 0.1F, -0.0F, 3e38F, 7.0F};
  const Tensor tensor = Tensor::fromValues({2, 3}, values);
  writeNpy(folder / "a.npy", tensor);
  EXPECT_EQ(readAll(folder / "a.npy"),
            npyBytes("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", values));
  writeNpy(folder / "t.npy", tensor.transposed(0, 1));
  EXPECT_EQ(readAll(folder / "t.npy"),
            npyBytes("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }",
                     {1.5F, -0.0F, -kInfinity, 3e38F, 0.1F, 7.0F}));
  writeNpy(folder / "one.npy", Tensor::fromValues({6}, values));
  EXPECT_EQ(readAll(folder / "one.npy"),
            npyBytes("{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }", values));
}

/// A number of some bytes, the lowest first.
std::uint64_t numberAt(const std::string& bytes, std::size_t at, int count) {
  std::uint64_t value = 0;
  for (int i = count; i-- > 0;) {
    value = value << 8U | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  }
  return value;
}

/// CRC-32, bit by bit.
std::uint64_t checksumOf(const std::string& bytes) {
  std::uint32_t state = 0xFFFFFFFFU;
  for (const char byte : bytes) {
    state ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      state = (state >> 1U) ^ ((state & 1U) != 0 ? 0xEDB88320U : 0U);
    }
  }
  return ~state;
}

/// The list at the archive's end leads to each entry, whose bytes are those of a .npy file.
TEST(Npz, HoldsAFileForEachTensor) {
  const TempFolder folder;
  const Tensor wide = Tensor::fromValues({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  const std::vector<TensorToWrite> tensors{
      {"grad.heads", {2, 3}, [&] { return wide; }},
      {"turned", {3, 2}, [&] { return wide.transposed(0, 1); }}};
  writeNpz(folder / "all.npz", tensors);
  const std::string zip = readAll(folder / "all.npz");
  EXPECT_EQ(checksumOf("123456789"), 0xCBF43926U);  // the standard's example
  const std::size_t end = zip.size() - 22, locator = end - 20, end64 = locator - 56;
  EXPECT_EQ(zip.substr(end, 4), "PK\5\6");
  EXPECT_EQ(zip.substr(locator, 4), "PK\6\7");
  EXPECT_EQ(zip.substr(end64, 4), "PK\6\6");
  EXPECT_EQ(numberAt(zip, locator + 8, 8), end64);
  EXPECT_EQ(numberAt(zip, end64 + 32, 8), tensors.size());
  std::size_t listed = numberAt(zip, end64 + 48, 8);
  EXPECT_EQ(numberAt(zip, end64 + 40, 8), end64 - listed);
  for (const TensorToWrite& tensor : tensors) {
    SCOPED_TRACE(tensor.name);
    writeNpy(folder / "one.npy", tensor.values());
    const std::string wanted = readAll(folder / "one.npy");
    const std::string name = tensor.name + ".npy";
    ASSERT_EQ(zip.substr(listed, 4), "PK\1\2");
    EXPECT_EQ(zip.substr(listed + 46, name.size()), name);
    const std::size_t extra = listed + 46 + name.size();
    EXPECT_EQ(numberAt(zip, extra + 4, 8), wanted.size());
    const std::size_t at = numberAt(zip, extra + 20, 8);
    ASSERT_EQ(zip.substr(at, 4), "PK\3\4");
    EXPECT_EQ(numberAt(zip, at + 14, 4), checksumOf(wanted));
    EXPECT_EQ(zip.substr(at + 30, name.size()), name);
    EXPECT_EQ(zip.substr(at + 30 + name.size() + numberAt(zip, at + 28, 2), wanted.size()), wanted);
    listed = extra + numberAt(zip, listed + 30, 2);
  }
  EXPECT_EQ(listed, end64);
  EXPECT_TRUE(isNpz("a.NPZ"));
  EXPECT_FALSE(isNpz("npz"));
}

TEST(TensorCsv, EveryNumberReadsBackTheSame) {
  const TracePtr trace = passOf(with(causalBatch(), [](auto& c) { c.memoryLen = 4; }));
  for (const TensorId id : tensorsOf(trace->config())) {
    const auto rows = cells(csvOf(*trace, id));
    const Tensor expected = trace->materialise(id);
    const auto columns = static_cast<std::size_t>(expected.shape().back());
    std::vector<float> values;
    for (std::size_t r = 1; r < rows.size(); ++r) {
      ASSERT_EQ(rows[r].size(), rows[0].size());
      for (std::size_t c = rows[r].size() - columns; c < rows[r].size(); ++c) {
        values.push_back(std::strtof(rows[r][c].c_str(), nullptr));
      }
    }
    EXPECT_TRUE(test::sameBits(Tensor::fromValues(expected.shape(), values), expected))
        << info(id).name;
  }
}

TEST(TensorCsv, LeadingColumnsSayWhichRow) {
  const TracePtr trace = passOf(causalBatch());
  const auto rows = cells(csvOf(*trace, TensorId::maskedScores));
  using Row = std::vector<std::string>;
  EXPECT_EQ(rows.size(), 1U + 2 * 2 * 3);
  EXPECT_EQ(rows[0], (Row{"item", "head", "row", "token", "0", "1", "2"}));
  EXPECT_EQ(Row(rows[4].begin(), rows[4].begin() + 3), (Row{"0", "1", "0"}));
  EXPECT_EQ(Row(rows[4].begin() + 5, rows[4].end()), (Row{"-inf", "-inf"}));
  EXPECT_EQ(Row(rows[9].begin(), rows[9].begin() + 3), (Row{"1", "0", "2"}));
  EXPECT_EQ(cells(csvOf(*trace, TensorId::wK))[0],
            (Row{"row", "0", "1", "2", "3", "4", "5", "6", "7"}));
  EXPECT_EQ(cells(csvOf(*trace, TensorId::bO)).size(), 2U);
}

TEST(TensorCsv, TokensStandAsTextWhateverTheyAre) {
  const TensorSource source{"test",
                            test::randomTensor({1, 4, 8}, 1, "x", 1.0F),
                            {},
                            {"a,b", "say \"hi\"", "=1+1", "="},
                            {}};
  const auto document = makeDocument("", sized(8, 2, 4), InputSource(source), Positions::named,
                                     WeightSource{}, test::kBudget);
  const std::string csv = csvOf(*runAttention(document, nullptr, {}), TensorId::weights);
  EXPECT_NE(csv.find("\n0,0,0,\"a,b\","), std::string::npos) << csv;
  EXPECT_NE(csv.find("\n0,0,1,\"say \"\"hi\"\"\","), std::string::npos) << csv;
  EXPECT_NE(csv.find("\n0,0,2,'=1+1,"), std::string::npos) << csv;
  EXPECT_NE(csv.find("\n0,0,3,=,"), std::string::npos) << csv;
}

TEST(ExportTensor, SafetensorsHoldsTheTensorUnderItsName) {
  const TempFolder folder;
  const TracePtr trace = passOf(causalBatch());
  exportTensor(folder / "m.safetensors", *trace, TensorId::maskedScores, TensorFormat::safetensors);
  const SafetensorsFile file(folder / "m.safetensors");
  EXPECT_EQ(file.names(), std::vector<std::string>{"masked_scores"});
  EXPECT_TRUE(
      test::sameBits(file.readAny("masked_scores"), trace->materialise(TensorId::maskedScores)));
  EXPECT_EQ(file.readAny("masked_scores").at({1, 1, 0, 1}), -kInfinity);
  EXPECT_TRUE(file.metadata().contains("tokens"));
  EXPECT_FALSE(file.metadata().contains("mistakes"));
}

TEST(ExportTensor, SafetensorsSaysWhichMistakesAreOn) {
  const TempFolder folder;
  const auto config = with(causalBatch(), [](auto& c) {
    c.switches->scale = false;
    c.mistakes.zeroForMasked = true;
  });
  exportTensor(folder / "m.safetensors", *passOf(config), TensorId::weights,
               TensorFormat::safetensors);
  EXPECT_EQ(SafetensorsFile(folder / "m.safetensors").metadata().at("mistakes"),
            "zero-mask, no-scale");
}

TEST(ExportTensor, FormatsGoByNameAndEnding) {
  EXPECT_EQ(tensorFormatFromName("npy"), TensorFormat::npy);
  EXPECT_EQ(tensorFormatFromName("NPY"), std::nullopt);
  EXPECT_EQ(tensorFormatOf("a/b.safetensors"), TensorFormat::safetensors);
  EXPECT_EQ(tensorFormatOf("b.CSV"), TensorFormat::csv);
  EXPECT_EQ(tensorFormatOf("npy"), std::nullopt);
  EXPECT_EQ(tensorFormatOf("b.txt"), std::nullopt);
}

TEST(ExportTensor, APassHasNoMemoryOrBiasesThatItDoesNotUse) {
  AttentionConfig config = sized(8, 2, 3);
  EXPECT_EQ(requireTensor("raw_scores", config), TensorId::rawScores);
  EXPECT_EQ(tensorsOf(config).size(), kTensorCount - 1);
  expectUserError([&] { requireTensor("memory", config); }, "memory", "self-attention");
  expectUserError([&] { requireTensor("logits", config); }, "'logits'", "x, W_Q", "output");
  config.switches->bias = false;
  config.memoryLen = 2;
  EXPECT_EQ(requireTensor("memory", config), TensorId::memory);
  EXPECT_EQ(tensorsOf(config).size(), kTensorCount - 4);
  expectUserError([&] { requireTensor("b_Q", config); }, "b_Q", "no biases");
}

TEST(ExportTensor, AFolderThatIsNotThereIsNamed) {
  const TempFolder folder;
  const TracePtr trace = passOf(causalBatch());
  for (const TensorFormat format : kTensorFormats) {
    expectUserError([&] { exportTensor(folder / "none/t", *trace, TensorId::x, format); },
                    "none/t");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace headscope::formats
