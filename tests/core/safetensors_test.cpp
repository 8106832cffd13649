#include "core/tensor/safetensors.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/base/files.h"
#include "tests/core/test_files.h"

namespace headscope::formats {
namespace {

/// Checks that the header is refused with these words.
template <typename... Parts>
void expectRefused(const std::string& header, std::size_t dataBytes, Parts... parts) {
  const TempFolder folder;
  const auto path = folder.file("bad.safetensors", safetensorsBytes(header, dataBytes));
  expectUserError([&] { SafetensorsFile{path}; }, "bad.safetensors is not a usable", parts...);
}

std::string entry(const std::string& shape, const std::string& offsets,
                  const std::string& dtype = "F32") {
  return R"({"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

TEST(Safetensors, WrittenAndReadBack) {
  const TempFolder folder;
  const std::vector<float> values{1.5F,
                                  -2.0F,
                                  std::numeric_limits<float>::denorm_min(),
                                  3e38F,
                                  -std::numeric_limits<float>::infinity(),
                                  0.0F};
  const Tensor a = Tensor::fromValues({2, 3}, values);
  writeSafetensors(folder / "t.safetensors",
                   std::vector<NamedTensor>{{"a", a},
                                            {"aᵀ", a.transposed(0, 1)},
                                            {"empty", Tensor::zeros({0, 4})},
                                            {"scalar", Tensor::fromValues({}, {{7.0F}})}},
                   {{"note", "\"ü\""}});
  const SafetensorsFile file(folder / "t.safetensors");
  EXPECT_EQ(file.names(), (std::vector<std::string>{"a", "aᵀ", "empty", "scalar"}));
  EXPECT_EQ(file.shape("aᵀ"), (Shape{3, 2}));
  EXPECT_EQ(file.dtype("a"), "F32");
  EXPECT_EQ(file.metadata().at("note"), "\"ü\"");
  EXPECT_EQ(file.readAny("a").values(), values);
  EXPECT_EQ(file.readAny("aᵀ").values(), a.transposed(0, 1).values());
  EXPECT_EQ(file.read("empty").size(), 0);
  EXPECT_EQ(file.read("scalar").values(), std::vector<float>{7.0F});
}

TEST(Safetensors, HalvesAreRoundedToTheNearest) {
  const TempFolder folder;
  const std::vector<float> values{1.0F, 0.1F, -65504.0F, 6e-8F, 1.0F + 0x1p-11F, 0.0F};
  const std::vector<NamedTensor> tensors{{"a", Tensor::fromValues({2, 3}, values)}};
  writeSafetensors(folder / "half.safetensors", tensors, {}, FileFloat::f16);
  const SafetensorsFile file(folder / "half.safetensors");
  EXPECT_EQ(file.dtype("a"), "F16");
  EXPECT_EQ(file.read("a").values(),
            (std::vector<float>{1.0F, 0.0999755859375F, -65504.0F, 0x1p-24F, 1.0F, 0.0F}));
  expectUserError(
      [&] {
        const std::vector<NamedTensor> large{{"b", Tensor::fromValues({1}, {{1e5F}})}};
        writeSafetensors(folder / "large.safetensors", large, {}, FileFloat::f16);
      },
      "b has values beyond 65504", "F32");
  EXPECT_FALSE(std::filesystem::exists(folder / "large.safetensors"));
  writeSafetensors(folder / "brain.safetensors", tensors, {}, FileFloat::bf16);
  const SafetensorsFile brain(folder / "brain.safetensors");
  EXPECT_EQ(brain.dtype("a"), "BF16");
  const std::vector<float> rounded = brain.read("a").values();
  EXPECT_EQ(rounded[1], 0.10009765625F);  // 205/256 · 2^-3
  EXPECT_EQ(rounded[2], -65536.0F);
}

TEST(Safetensors, AreReadFromMemoryAlike) {
  const TempFolder folder;
  const std::vector<NamedTensor> tensors{{"a", Tensor::fromValues({2}, {{1.0F, 2.0F}})},
                                         {"b", Tensor::fromValues({1}, {{3.0F}})}};
  writeSafetensors(folder / "t.safetensors", tensors);
  const std::string bytes = readAll(folder / "t.safetensors");
  const SafetensorsFile file("in memory", bytes);
  EXPECT_EQ(file.read("b").values(), std::vector<float>{3.0F});
  EXPECT_EQ(file.read("a").values(), (std::vector<float>{1.0F, 2.0F}));
  expectUserError(
      [&] { SafetensorsFile("in memory", std::string_view(bytes).substr(0, bytes.size() - 1)); },
      "in memory is not a usable");
}

TEST(Safetensors, ReadsPyTorchsFiles) {
  const SafetensorsFile file(golden("tiny_d4_h2_t3"));
  EXPECT_EQ(file.shape("in_proj_weight"), (Shape{12, 4}));
  EXPECT_TRUE(file.has("expected.weights"));
  const Tensor weights = file.read("expected.weights");
  for (Index i = 0; i < 3; ++i) {
    EXPECT_NEAR(weights.at({0, 1, i, 0}) + weights.at({0, 1, i, 1}) + weights.at({0, 1, i, 2}), 1.0,
                1e-6);
  }
}

template <typename T>
std::string bytesOfValues(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

TEST(Safetensors, OtherFloatsAreConvertedExactly) {
  const TempFolder folder;
  // F16: 1, −2, largest, smallest subnormal, −0. BF16: 1, π as rounded. F64: rounds to nearest.
  const std::vector<std::uint16_t> half{0x3C00, 0xC000, 0x7BFF, 0x0001, 0x8000};
  const std::vector<std::uint16_t> brain{0x3F80, 0x4049};
  const std::vector<double> wide{0.1, 1.0 + std::ldexp(1.0, -24), 1e300};
  const std::string header =
      R"({"h":)" + entry("[5]", "[0,10]", "F16") + R"(,"b":)" + entry("[2]", "[10,14]", "BF16") +
      R"(,"d":)" + entry("[3]", "[14,38]", "F64") + R"(,"i":)" + entry("[1]", "[38,46]", "I64") +
      R"(,"new":)" + entry("[9]", "[46,47]", "F4") + "}";
  const auto path = folder.file("t.safetensors", safetensorsBytes(header, 0) + bytesOfValues(half) +
                                                     bytesOfValues(brain) + bytesOfValues(wide) +
                                                     std::string(9, '\0'));
  const SafetensorsFile file(path);
  EXPECT_EQ(file.read("h").values(),
            (std::vector<float>{1.0F, -2.0F, 65504.0F, std::ldexp(1.0F, -24), 0.0F}));
  EXPECT_TRUE(std::signbit(file.read("h").at({4})));
  EXPECT_EQ(file.read("b").values(), (std::vector<float>{1.0F, 3.140625F}));
  EXPECT_EQ(file.readAny("d").values(),
            (std::vector<float>{0.1F, 1.0F, std::numeric_limits<float>::infinity()}));
  expectUserError([&] { file.read("d"); }, "d[2] in ", "is 1e+300, beyond float32's range",
                  "t.safetensors");
  expectUserError([&] { file.read("i"); }, "i in ",
                  "has the type I64; only F32, F16, BF16 and F64");
  expectUserError([&] { file.read("new"); }, "has the type F4");
  expectUserError([&] { file.read("none"); }, "has no tensor \"none\"");
}

TEST(Safetensors, CutShortFilesAreRefused) {
  const TempFolder folder;
  const std::string whole = readAll(golden("tiny_d4_h2_t3"));
  for (std::size_t bytes = 0; bytes < whole.size(); bytes += bytes < 16 ? 1 : 97) {
    const auto path = folder.file("cut.safetensors", std::string_view(whole).substr(0, bytes));
    expectUserError([&] { SafetensorsFile{path}; }, "cut.safetensors");
  }
  expectUserError([&] { SafetensorsFile{folder / "none.safetensors"}; }, "none.safetensors",
                  "No such file");
  expectUserError([&] { SafetensorsFile{folder.path()}; }, "cannot read");
}

TEST(Safetensors, LyingHeaderLengthIsRefusedBeforeAllocating) {
  const TempFolder folder;
  const auto lying = [&](std::uint64_t length) {
    return folder.file("bad.safetensors",
                       std::string(reinterpret_cast<const char*>(&length), 8) + "{}      ");
  };
  expectUserError([&] { SafetensorsFile{lying(~0ULL)}; }, "the limit is 100 MB");
  expectUserError([&] { SafetensorsFile{lying(100'000'001)}; }, "the limit is 100 MB");
  expectUserError([&] { SafetensorsFile{lying(99'000'000)}; }, "claims 99000000 bytes", "has 8");
}

TEST(Safetensors, BadHeadersAreRefused) {
  expectRefused("", 0, "not valid JSON");
  expectRefused("{", 0, "not valid JSON");
  expectRefused("[]", 0, "not a JSON object");
  expectRefused("7", 0, "not a JSON object");
  expectRefused(R"({"a":7})", 0, "entry \"a\" is not an object");
  expectRefused(R"({"a":[1,2]})", 0, "entry \"a\" is not an object");
  expectRefused(R"({"a":{"shape":[1],"data_offsets":[0,4]}})", 4, "\"a\" has no dtype");
  expectRefused(R"({"a":{"dtype":"F32","data_offsets":[0,4]}})", 4, "\"a\" has no shape");
  expectRefused(R"({"a":{"dtype":"F32","shape":[1]}})", 4, "\"a\" has no data_offsets");
  expectRefused(R"({"a":)" + entry("[1]", "[0]") + "}", 4, "two data_offsets");
  expectRefused(R"({"a":)" + entry("[-1]", "[0,4]") + "}", 4, "whole numbers from 0");
  expectRefused(R"({"a":)" + entry("[1.5]", "[0,4]") + "}", 4, "whole numbers from 0");
  expectRefused(R"({"a":)" + entry("[1]", "[-4,0]") + "}", 4, "whole numbers from 0");
  expectRefused(R"({"__metadata__":{"a":1}})", 0, "metadata \"a\" is not a string");
  expectRefused(std::string(100'000, '['), 0, "not a JSON object");
  expectRefused(R"({"a":)" + std::string(1000, '[') + "}", 0, "nested too deeply");
}

TEST(Safetensors, BadRangesAreRefused) {
  expectRefused(R"({"a":)" + entry("[2]", "[0,4]") + "}", 4, "\"a\" has 4 bytes where (2,) of F32",
                "need 8");
  expectRefused(R"({"a":)" + entry("[1]", "[4,0]") + "}", 4, "ends before it begins");
  expectRefused(R"({"a":)" + entry("[2]", "[0,8]") + "}", 4, "\"a\" ends at byte 8 of 4 bytes");
  expectRefused(R"({"a":)" + entry("[1]", "[0,4]") + R"(,"b":)" + entry("[1]", "[2,6]") + "}", 6,
                "\"b\" overlaps another");
  expectRefused(R"({"a":)" + entry("[1]", "[0,4]") + R"(,"b":)" + entry("[1]", "[0,4]") + "}", 4,
                "overlaps another");
  expectRefused(R"({"a":)" + entry("[1]", "[4,8]") + "}", 8, "a gap of 4 bytes");
  expectRefused(R"({"a":)" + entry("[1]", "[0,4]") + "}", 9, "5 bytes follow its last tensor");
  expectRefused(R"({"a":)" + entry("[1]", "[0,4]") + R"(,"a":)" + entry("[1]", "[4,8]") + "}", 8,
                "\"a\" is there twice");
}

TEST(Safetensors, SizesThatOverflowAreRefused) {
  const std::string most = std::to_string(std::numeric_limits<std::uint64_t>::max());
  expectRefused(R"({"a":)" + entry("[" + most + "]", "[0,4]") + "}", 4, "too large to count");
  expectRefused(R"({"a":)" + entry("[4294967296,4294967296]", "[0,0]") + "}", 0,
                "too large to count");
  // 2^62 · 4 bytes wraps to 0 in 64 bits.
  expectRefused(R"({"a":)" + entry("[4611686018427387904]", "[0,0]") + "}", 0,
                "too large to count");
  expectRefused(R"({"a":)" + entry("[1]", "[0," + most + "]") + "}", 4, "ends at byte");
  expectRefused(R"({"a":)" + entry("[1,1,1,1,1,1,1,1,1]", "[0,4]") + "}", 4, "has 9 axes");
  std::string ones = "[1";
  for (int i = 0; i < 1000; ++i) ones += ",1";
  expectRefused(R"({"a":)" + entry(ones + "]", "[0,4]") + "}", 4,
                "\"a\" has an entry that is too long");
}

TEST(Safetensors, ADamagedByteNeverDoesWorseThanAnError) {
  const TempFolder folder;
  const std::string whole = readAll(golden("tiny_d4_h2_t3"));
  const std::size_t headerEnd = 8 + *reinterpret_cast<const std::uint64_t*>(whole.data());
  int refused = 0;
  for (std::size_t at = 0; at < headerEnd; at += 7) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (at % 8)));
    const auto path = folder.file("damaged.safetensors", damaged);
    try {
      const SafetensorsFile file(path);
      for (const std::string& name : file.names()) file.read(name);
    } catch (const UserError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 50);
}

TEST(AtomicFile, OldFileStaysWhereWritingFails) {
  const TempFolder folder;
  const auto path = folder.file("out.bin", "old");
  EXPECT_THROW(writeAtomically(path,
                               [](std::ostream& out) {
                                 out << "half";
                                 throw std::runtime_error("stop");
                               }),
               std::runtime_error);
  EXPECT_EQ(readAll(path), "old");
  expectUserError(
      [&] { writeAtomically(path, [](std::ostream& out) { out.setstate(std::ios::badbit); }); },
      "cannot write ", "out.bin");
  EXPECT_EQ(readAll(path), "old");
  writeAtomically(path, [](std::ostream& out) { out << "new"; });
  EXPECT_EQ(readAll(path), "new");
  // no temporary file is left
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(AtomicFile, UnwritablePlacesAreNamedWithTheReason) {
  const TempFolder folder;
  const auto nothing = [](std::ostream&) {};
  expectUserError([&] { writeAtomically(folder / "no/such/folder.bin", nothing); }, "cannot write ",
                  "no/such/folder.bin", "No such file or directory");
  expectUserError([&] { writeAtomically(folder.path(), nothing); }, "Is a directory");
  expectUserError([&] { writeAtomically(folder.file("file", "") / "below", nothing); },
                  "Not a directory");
}

/// Values that are not finite, in every type that has them, in the last of many parts read in turn.
TEST(Safetensors, ValuesThatAreNotFiniteAreNamed) {
  const TempFolder folder;
  constexpr std::size_t kCount = 200'001;
  const std::string shape = fmt::format("[{}]", kCount);
  const auto refused = [&](const char* type, const std::string& bytes, const char* is) {
    SCOPED_TRACE(type);
    const std::string header =
        R"({"w":)" + entry(shape, fmt::format("[0,{}]", bytes.size()), type) + "}";
    const SafetensorsFile file(folder.file("w.safetensors", safetensorsBytes(header, 0) + bytes));
    expectUserError([&] { file.read("w"); }, fmt::format("w[200000] is {} in ", is),
                    "w.safetensors");
    EXPECT_EQ(file.readAny("w").size(), static_cast<Index>(kCount));
  };
  std::vector<float> single(kCount, 1.0F);
  single.back() = -std::numeric_limits<float>::infinity();
  refused("F32", bytesOfValues(single), "−∞");
  std::vector<double> wide(kCount, 1.0);
  wide.back() = std::nan("");
  refused("F64", bytesOfValues(wide), "NaN");
  std::vector<std::uint16_t> half(kCount, 0x3C00), brain(kCount, 0x3F80);
  half.back() = 0x7C00;
  refused("F16", bytesOfValues(half), "∞");
  brain.back() = 0x7FC0;
  refused("BF16", bytesOfValues(brain), "NaN");
}

}  // namespace
}  // namespace headscope::formats
