// The PyTorch script as text, and the folder it is exported to; tests/pytorch runs it.
#include "core/formats/pytorch_script.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "core/attention/config.h"
#include "core/attention/steps/step.h"
#include "core/attention/switches.h"
#include "core/document/document.h"
#include "core/document/trace.h"
#include "tests/core/support/cases.h"
#include "tests/core/test_files.h"

namespace headscope::formats {
namespace {

namespace fs = std::filesystem;
using test::sized;
using test::with;

TracePtr scriptPassOf(const AttentionConfig& config) {
  return runAttention(test::randomDocument(config), nullptr, {});
}
std::string scriptOf(const AttentionConfig& config) { return pytorchScript(*scriptPassOf(config)); }

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> namesIn(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST(PyTorchScript, RunsTheStepsOwnLines) {
  for (const test::Case& c : test::allCases()) {
    const std::string script = scriptOf(c.config);
    for (const Step* step : stepsOf({})) {
      std::string lines = "\n";
      for (const std::string& line : step->text(c.config).pytorch) lines += line + "\n";
      EXPECT_TRUE(has(script, lines)) << c.name << lines;
      for (const TensorId id : step->outputs()) {
        const std::string name(info(id).name);
        EXPECT_TRUE(has(script, "\n" + name + " = check(\"" + name + "\", " + name + ")\n"))
            << c.name << ": " << name;
      }
    }
    EXPECT_FALSE(has(script, "# @")) << c.name;
  }
}

TEST(PyTorchScript, SaysWhyTheModuleCannotDoIt) {
  const auto plain = sized(16, 4, 3);
  EXPECT_TRUE(has(scriptOf(plain), "torch.nn.MultiheadAttention("));
  const auto refused = [&](const AttentionConfig& config, const std::string& reason) {
    const std::string script = scriptOf(config);
    EXPECT_FALSE(has(script, "torch.nn.MultiheadAttention("));
    EXPECT_TRUE(has(script, "cannot do this pass: " + reason + "\")")) << script;
  };
  refused(sized(16, 4, 3, 2), "4 query heads share 2 key/value heads");
  refused(with(plain, [](auto& c) { c.switches->temperature = 0.3; }), "the temperature is 0.3");
  refused(with(plain,
               [](auto& c) {
                 c.headGains = {1, 0, 1, 1};
               }),
          "heads are switched off or weighted");
  refused(with(sized(16, 4, 3, 1), [](auto& c) { c.switches->scale = false; }),
          "4 query heads share 1 key/value heads; the scores are not divided by sqrt(d_k)");
}

TEST(PyTorchScript, AssignsPinnedCellsAfterTheStepThatGivesThem) {
  const auto document = test::changed(test::randomDocument(sized(8, 2, 3)), [](Document& d) {
    d.pins = d.pins.with({{TensorId::rawScores, 0, 1, 2, 0}, 30.0F})
                 .with({{TensorId::weights, 0, 0, 0, 1}, 0.1F});
  });
  const std::string script = pytorchScript(*runAttention(document, nullptr, {}));
  EXPECT_TRUE(has(script,
                  "raw_scores = q @ k.transpose(-2, -1)\n"
                  "raw_scores[0, 1, 2, 0] = 30  # pinned\n"
                  "raw_scores = check(\"raw_scores\", raw_scores)\n"))
      << script;
  EXPECT_TRUE(has(script, "\nweights[0, 0, 0, 1] = 0.10000000149011612  # pinned\n")) << script;
  EXPECT_TRUE(has(script, "cannot do this pass: cells are pinned\")")) << script;
}

TEST(PyTorchScript, MarksMistakesForAsLongAsTheyAreOn) {
  const auto config = with(sized(8, 2, 3), [](auto& c) { c.mistakes.sharedHead = true; });
  EXPECT_TRUE(has(scriptOf(config), "# A common mistake, made on purpose: One head's weights"));
  EXPECT_TRUE(has(scriptOf(config), "a mistake is made on purpose (shared-head)"));
  EXPECT_FALSE(has(scriptOf(sized(8, 2, 3)), "mistake"));
}

TEST(PyTorchScript, ATemperatureIsWrittenToItsLastDigit) {
  const auto config =
      with(sized(16, 4, 3), [](auto& c) { c.switches->temperature = 1.23456789012345; });
  EXPECT_TRUE(has(scriptOf(config), "/ math.sqrt(4) / 1.23456789012345\n"));
}

/// Whatever a file or a user calls things, no such text is in the script: numbers alone are.
TEST(PyTorchScript, TakesNoTextOfTheDocument) {
  const auto called = [](const std::string& name) {
    return pytorchScript(
        *runAttention(test::changed(test::randomDocument(sized(8, 2, 3)), [&](Document& d) {
          d.preset = name;
          d.weightSource.loadedFrom = name;
          auto source = std::make_shared<InputSource>(
              TensorSource{name, d.input->x, {}, {name, name, name}, {}});
          d.source = std::move(source);
          auto input = std::make_shared<Input>(*d.input);
          input->tokens = {{name, name, name}};
          input->coordinates.assign(8, name);
          input->notes = {name};
          d.input = std::move(input);
          d.config.switches->temperature = 1.5;
          d.pins = d.pins.with({{TensorId::rawScores, 0, 1, 0, 2}, -1e-42F});
        })));
  };
  const std::string script = called("plain");
  for (const char* name :
       {"\"\"\"\nimport os; os.system('x')\n", "'); import os  #", "\\", "\\\"", "{0}", "# @steps",
        "\r", "\u2028", "\xff", "‮\u202e", "\"; __import__('os')"}) {
    EXPECT_EQ(called(name), script) << name;
  }
  EXPECT_TRUE(has(script, "raw_scores[0, 1, 0, 2] = -1.0005271035279194e-42"));
}

TEST(ExportPyTorch, WritesTheScriptAndEveryTensor) {
  const TempFolder folder;
  exportPyTorch(folder / "a/b", *scriptPassOf(sized(8, 2, 3)));
  EXPECT_EQ(namesIn(folder / "a/b"), (std::vector<std::string>{"check_attention.py", "tensors"}));
  EXPECT_EQ(namesIn(folder / "a/b/tensors").size(), kTensorCount - 1);  // no memory
}

TEST(ExportPyTorch, ReplacesAnExportAsAWhole) {
  const TempFolder folder;
  const auto cross = with(sized(8, 2, 3), [](auto& c) { c.memoryLen = 4; });
  exportPyTorch(folder.path(), *scriptPassOf(cross));
  folder.file("notes.txt", "mine");
  ASSERT_TRUE(fs::exists(folder / "tensors/memory.npy"));
  exportPyTorch(folder.path(), *scriptPassOf(sized(8, 2, 3)));
  EXPECT_FALSE(fs::exists(folder / "tensors/memory.npy"));
  EXPECT_EQ(readAll(folder / "check_attention.py"), scriptOf(sized(8, 2, 3)));
  EXPECT_EQ(namesIn(folder.path()),
            (std::vector<std::string>{"check_attention.py", "notes.txt", "tensors"}));
}

TEST(ExportPyTorch, LeavesTheFilesOfOthersAlone) {
  const TracePtr trace = scriptPassOf(sized(8, 2, 3));
  const TempFolder folder;
  const auto refused = [&](const fs::path& target, const std::string& named) {
    expectUserError([&] { exportPyTorch(target, *trace); }, named);
  };
  refused(folder.file("file", ""), "is a file; name a folder");

  fs::create_directory(folder / "script");
  folder.file("script/check_attention.py", "print('mine')");
  refused(folder / "script",
          (fs::path("script") / "check_attention.py").string() + " already exists");
  EXPECT_EQ(namesIn(folder / "script"), std::vector<std::string>{"check_attention.py"});

  fs::create_directories(folder / "other/tensors");
  folder.file("other/tensors/weights.pt", "mine");
  refused(folder / "other", "weights.pt already exists");
  EXPECT_EQ(readAll(folder / "other/tensors/weights.pt"), "mine");

  exportPyTorch(folder / "own", *trace);
  folder.file("own/tensors/mine.npy", "");
  refused(folder / "own", "mine.npy already exists");
  EXPECT_TRUE(fs::exists(folder / "own/tensors/x.npy"));
}

TEST(ExportPyTorch, AFolderThatCannotBeMadeIsNamed) {
  const TempFolder folder;
  folder.file("blocked", "");
  expectUserError([&] { exportPyTorch(folder / "blocked/a", *scriptPassOf(sized(8, 2, 3))); },
                  "blocked/a");
  EXPECT_EQ(namesIn(folder.path()), std::vector<std::string>{"blocked"});
}

/// Tensors without a script are an export's that was killed between the two.
TEST(ExportPyTorch, OneCutShortIsReplaced) {
  const TempFolder folder;
  const TracePtr trace = scriptPassOf(sized(8, 2, 3));
  exportPyTorch(folder / "own", *trace);
  fs::remove(folder / "own/check_attention.py");
  exportPyTorch(folder / "own", *trace);
  EXPECT_EQ(namesIn(folder / "own"), (std::vector<std::string>{"check_attention.py", "tensors"}));
  EXPECT_EQ(namesIn(folder / "own/tensors").size(), kTensorCount - 1);
}

}  // namespace
}  // namespace headscope::formats
