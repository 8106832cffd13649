// Files that torch.save wrote, made by PyTorch 1.13 (tests/data/pytorch/make.py).
#include "core/formats/pytorch_file.h"

#include <gtest/gtest.h>

#include "core/base/random.h"
#include "core/formats/model_directory.h"
#include "core/formats/pickle.h"
#include "core/tensor/read_floats.h"
#include "support/model_folders.h"
#include "tests/core/test_files.h"

namespace headscope::formats {
namespace {

using test::kBudgetBytes;
using test::modelData;

std::filesystem::path data(const char* name) { return modelData("pytorch") / name; }

std::vector<float> valuesOf(const Tensor& tensor) {
  return {tensor.data(), tensor.data() + tensor.size()};
}

TEST(PyTorchFile, ReadsEveryTypeAndStridedTensorsOfOneStorage) {
  const WeightFilePtr file = openPyTorchFile(data("state_dict.bin"));
  EXPECT_EQ(file->names().size(), 10U);
  const Tensor whole = file->read("whole");
  ASSERT_EQ(whole.shape(), (Shape{4, 6}));
  for (Index i = 0; i < 24; ++i) EXPECT_EQ(whole.data()[i], static_cast<float>(i) / 8.0F);
  const Tensor turned = file->read("turned");
  ASSERT_EQ(turned.shape(), (Shape{6, 4}));
  for (Index row = 0; row < 6; ++row) {
    for (Index col = 0; col < 4; ++col) EXPECT_EQ(turned.at({row, col}), whole.at({col, row}));
  }
  const Tensor part = file->read("part");
  ASSERT_EQ(part.shape(), (Shape{2, 3}));
  for (Index row = 0; row < 2; ++row) {
    for (Index col = 0; col < 3; ++col)
      EXPECT_EQ(part.at({row, col}), whole.at({row + 1, col + 2}));
  }
  EXPECT_EQ(valuesOf(file->read("last")),
            (std::vector<float>{2.25, 2.375, 2.5, 2.625, 2.75, 2.875}));
  EXPECT_EQ(valuesOf(file->read("half")), (std::vector<float>{1.5, -2.0, 0.25}));
  EXPECT_EQ(valuesOf(file->read("bfloat")), (std::vector<float>{1.5, -2.0}));
  EXPECT_EQ(valuesOf(file->read("double")), (std::vector<float>{0.1F, -3.0F}));
  EXPECT_EQ(valuesOf(file->read("scalar")), (std::vector<float>{2.5}));
  EXPECT_EQ(valuesOf(file->read("repeated")), (std::vector<float>{7, 7, 7}));
  EXPECT_EQ(file->dtype("position_ids"), "I64");
}

TEST(PyTorchFile, FindsTheStateDictOfACheckpoint) {
  const WeightFilePtr file = openPyTorchFile(data("checkpoint.pth"));
  EXPECT_EQ(file->names(), std::vector<std::string>{"weight"});
  EXPECT_EQ(valuesOf(file->read("weight")), (std::vector<float>{1, 2, 3, 4}));
}

TEST(PyTorchFile, RefusesOtherClassesByNameAndRunsNothing) {
  expectUserError([] { openPyTorchFile(data("class.bin")); }, "class.bin", "posix.system");
  expectUserError([] { openPyTorchFile(data("before_1_6.bin")); }, "before_1_6.bin", "version 1.6");
}

TEST(PyTorchFile, DamagedAtAnyByteItIsRefusedOrReadAndNothingElse) {
  const std::string whole = readAll(data("state_dict.bin"));
  const TempFolder folder;
  const RandomStream random(7, "damage");
  for (std::size_t at = 0; at < whole.size(); at += 3) {
    for (const bool cut : {false, true}) {
      std::string bytes = cut ? whole.substr(0, at) : whole;
      if (!cut) bytes[at] = static_cast<char>(random.bits(at));
      const auto path = folder.file("damaged.bin", bytes);
      try {
        const WeightFilePtr file = openPyTorchFile(path);
        for (const std::string& name : file->names()) {
          if (isReadableFloat(file->dtype(name))) file->read(name);
        }
      } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find("damaged.bin"), std::string::npos) << error.what();
      }
    }
  }
}

TEST(Pickle, DamagedOnesAreRefused) {
  const auto refuses = [](std::string_view bytes, const std::string& says) {
    expectUserError([&] { tensorsOfPickle(bytes, "F.pkl"); }, "F.pkl", says);
  };
  using namespace std::string_view_literals;
  refuses(""sv, "ends early");
  refuses("\x80\x02N."sv, "no dictionary");
  refuses("\x80\x02}."sv, "no dictionary");
  refuses("\x80\x09."sv, "newer than 5");
  refuses("\x80\x02]h\x05."sv, "refers to a value");
  refuses("\x80\x02u."sv, "do not fit together");
  refuses("\x80\x02X\xff\xff\xff\x7f."sv, "ends early");
  refuses(
      "\x80\x02"
      "cbuiltins\neval\n)R."sv,
      "builtins.eval");
  refuses("\x80\x02\xff."sv, "0xff");
  std::string deep = "\x80\x02";
  for (int i = 0; i < 1'000'000; ++i) deep += "]";
  for (int i = 0; i < 999'999; ++i) deep += "a";
  refuses(deep + ".", "no dictionary");
}

TEST(PyTorchFile, AModelOfOneIsTheModelOfItsSafetensors) {
  const TempFolder folder;
  test::ModelFolder("tiny-gpt2").writeConfig(folder);
  std::filesystem::copy_file(data("tiny_gpt2.bin"), folder / "pytorch_model.bin");
  const std::vector<Index> ids{5, 3, 8, 1};
  const auto model = openModel(folder.path(), kBudgetBytes);
  EXPECT_EQ(test::logitsOf(model, ids),
            test::logitsOf(openModel(modelData("tiny-gpt2"), kBudgetBytes), ids));
  EXPECT_FALSE(model->changedOnDisk());
  folder.file("pytorch_model.bin", "another");
  EXPECT_TRUE(model->changedOnDisk());
}

}  // namespace
}  // namespace headscope::formats
