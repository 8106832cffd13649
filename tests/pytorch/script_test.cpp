// Exported PyTorch scripts, run by Python: passes of every kind agree, damaged tensors do not; and
// archives, read by NumPy.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "core/attention/mistakes.h"
#include "core/attention/switches.h"
#include "core/formats/numpy_files.h"
#include "core/formats/pytorch_script.h"
#include "tests/core/support/cases.h"
#include "tests/core/test_files.h"

namespace headscope::formats {
namespace {

namespace fs = std::filesystem;
using test::sized;
using test::with;

struct Finished {
  int status = -1;
  std::string out;
};

Finished shell(const std::string& command) {
  Finished finished;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return finished;
  char buffer[4096];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    finished.out.append(buffer, n);
  }
  finished.status = WEXITSTATUS(::pclose(pipe));
  return finished;
}

/// A Python with PyTorch: the first on the path, or the system's, which apt installs into.
std::string python() {
  for (const std::string program : {"python3", "/usr/bin/python3"}) {
    const auto find =
        " -c 'import importlib.util as u, sys; "
        "sys.exit(not (u.find_spec(\"torch\") and u.find_spec(\"numpy\")))'";
    if (shell(program + find + " 2>/dev/null").status == 0) return program;
  }
  ADD_FAILURE() << "no python3 has torch and numpy: install python3-torch and python3-numpy";
  return "false";
}

Finished runScript(const fs::path& folder) {
  return shell("cd / && " + python() + " '" + (folder / kScriptName).string() + "' 2>&1");
}

/// Runs the scripts of all folders in one process, in order.
std::vector<Finished> runScripts(const std::vector<fs::path>& folders) {
  std::string command =
      "OMP_NUM_THREADS=1 " + python() + " '" HEADSCOPE_SOURCE_DIR "/tests/pytorch/run_scripts.py'";
  for (const fs::path& folder : folders) command += " '" + folder.string() + "'";
  const Finished all = shell(command);
  const auto json = nlohmann::json::parse(all.out, nullptr, false);
  EXPECT_TRUE(json.is_array() && json.size() == folders.size()) << all.out;
  std::vector<Finished> results(folders.size());
  for (std::size_t i = 0; json.is_array() && i < std::min(json.size(), results.size()); ++i) {
    results[i] = {json[i]["status"], json[i]["out"]};
  }
  return results;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void exportPass(const fs::path& folder, const DocumentPtr& document) {
  exportPyTorch(folder, *runAttention(document, nullptr, {}));
}

/// Adds 1 to the last value of a tensor's file.
void damage(const fs::path& folder, const std::string& tensor) {
  const fs::path path = folder / "tensors" / (tensor + ".npy");
  std::string bytes = readAll(path);
  float value = 0.0F;
  std::memcpy(&value, bytes.data() + bytes.size() - sizeof value, sizeof value);
  value = std::isfinite(value) ? value + 1.0F : 0.0F;
  std::memcpy(bytes.data() + bytes.size() - sizeof value, &value, sizeof value);
  std::ofstream(path, std::ios::binary) << bytes;
}

DocumentPtr withLargeScores() {
  return test::changed(test::randomDocument(sized(64, 4, 12)), [](Document& d) {
    for (Tensor* weight : {&d.weights.wQ, &d.weights.wK}) {
      *weight = weight->clone();
      for (Index n = 0; n < weight->size(); ++n) weight->mutableData()[n] *= 30.0F;
    }
  });
}

/// A pin in each tensor that takes one, some on forbidden pairs.
DocumentPtr withPins(const AttentionConfig& config) {
  return test::changed(test::randomDocument(config), [](Document& d) {
    for (const TensorId id : {TensorId::rawScores, TensorId::scores, TensorId::weights,
                              TensorId::heads, TensorId::gate}) {
      if (!headscope::has(d.config, id)) continue;
      d.pins = d.pins.with({{id, 0, 1, 0, 2}, 30.1F}).with({{id, 0, 0, 2, 1}, -0.7F});
    }
  });
}

std::vector<test::Case> passes() {
  std::vector<test::Case> cases = test::allCases();
  for (test::Case& each : test::switchCases()) cases.push_back(std::move(each));
  cases.push_back({"OneHeadOff", with(sized(24, 4, 6), [](auto& c) {
                     c.headGains = {1, 0, 1, 1};
                   })});
  cases.push_back({"HeadsWeighted", with(sized(24, 4, 6, 2), [](auto& c) {
                     c.headGains = {0.5F, 2.0F, 1.0F, -1.0F};
                   })});
  cases.push_back({"CausalPaddingPainted", with(sized(16, 2, 3), [](auto& c) {
                     c.batch = 2;
                     c.mask.causal = true;
                     c.mask.lengths = {3, 1};
                     c.mask.painted = test::painted(3, 3, {1, 1, 1, 0, 0, 1, 1, 1, 0});
                   })});
  const auto causal = with(sized(16, 4, 6), [](auto& c) { c.mask.causal = true; });
  cases.push_back({"Dropout", with(causal, [](auto& c) { c.dropout = {0.3, 5}; })});
  for (const MistakeText& mistake : allMistakes()) {
    cases.push_back({"Mistake_" + std::string(mistake.id),
                     with(causal, [&](auto& c) { setMistake(c, mistake.mistake, true); })});
  }
  cases.push_back({"EveryMistakeAtOnce", with(sized(24, 6, 5, 2), [](auto& c) {
                     c.batch = 2;
                     c.memoryLen = 4;
                     c.mask.lengths = {4, 0};
                     c.dropout = {0.123456789, 1};
                     for (const MistakeText& m : allMistakes()) setMistake(c, m.mistake, true);
                   })});
  return cases;
}

TEST(PyTorchScriptRun, AgreesOnPassesOfEveryKind) {
  const TempFolder folder;
  const auto cases = passes();
  std::vector<fs::path> folders;
  for (const test::Case& c : cases) {
    folders.push_back(folder / c.name);
    exportPass(folders.back(), test::randomDocument(c.config, 7));
  }
  folders.push_back(folder / "LargeScores");
  exportPass(folders.back(), withLargeScores());
  const auto plain = sized(16, 2, 3);
  folders.push_back(folder / "Pins");
  exportPass(folders.back(), withPins(plain));
  folders.push_back(folder / "PinsMasked");
  exportPass(folders.back(), withPins(with(plain, [](auto& c) { c.mask.causal = true; })));
  folders.push_back(folder / "PinsNotScaled");  // scores and raw_scores are one tensor there
  exportPass(folders.back(), withPins(with(plain, [](auto& c) { c.switches->scale = false; })));
  folders.push_back(folder / "PinsGated");  // a pinned gate is read by the next line
  exportPass(folders.back(), withPins(with(plain, [](auto& c) { c.switches->gate = true; })));
  const auto results = runScripts(folders);
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const std::string name = folders[i].filename();
    const std::string& out = results[i].out;
    EXPECT_EQ(results[i].status, 0) << name << "\n" << out;
    // each result, and the module's weights and output
    const bool gated = has(out, "\ngated ");
    const int count = 13 + (gated ? 2 : 0) + (has(out, "cannot do this pass") ? 0 : 2);
    EXPECT_TRUE(has(out, fmt::format("\nall {} tensors agree", count))) << name << "\n" << out;
    EXPECT_EQ(gated, fs::exists(folders[i] / "tensors" / "W_G.npy")) << name;
    EXPECT_TRUE(!gated || has(out, "heads are gated")) << name << "\n" << out;
  }
}

TEST(PyTorchScriptRun, NamesTheTensorThatIsDamaged) {
  struct Damage {
    std::string file;   // whose last value changes
    std::string named;  // in the summary
  };
  const std::vector<Damage> damages{
      {"x", "q_proj, k_proj, v_proj"},
      {"W_V", "v_proj, nn.MultiheadAttention output"},
      {"b_O", "output"},
      {"k_proj", "k_proj, k"},
      {"k", "k, raw_scores"},
      {"raw_scores", "raw_scores, scores"},
      {"scores", "scores, masked_scores"},
      {"masked_scores", "masked_scores, weights"},
      {"weights", "weights, heads"},
      {"heads", "heads, concat"},
      {"output", "output, nn.MultiheadAttention output"},
  };
  const TempFolder folder;
  const auto document = test::randomDocument(sized(24, 4, 6));
  std::vector<fs::path> folders;
  for (const Damage& d : damages) {
    folders.push_back(folder / d.file);
    exportPass(folders.back(), document);
    damage(folders.back(), d.file);
  }
  const auto results = runScripts(folders);
  for (std::size_t i = 0; i < damages.size(); ++i) {
    const std::string& out = results[i].out;
    EXPECT_EQ(results[i].status, 1) << damages[i].file << "\n" << out;
    EXPECT_TRUE(has(out, "tensors differ: " + damages[i].named)) << damages[i].file << "\n" << out;
  }
}

TEST(PyTorchScriptRun, AForbiddenScoreAndAMaskBothCount) {
  const TempFolder folder;
  const auto config = with(sized(16, 2, 3), [](auto& c) {
    c.mask.painted = test::painted(3, 3, {1, 1, 1, 1, 1, 1, 1, 1, 0});
  });
  exportPass(folder / "score", test::randomDocument(config));
  damage(folder / "score", "masked_scores");  // −∞ becomes 0
  exportPass(folder / "mask", test::randomDocument(config));
  damage(folder / "mask", "painted");
  for (const Finished& result : runScripts({folder / "score", folder / "mask"})) {
    EXPECT_EQ(result.status, 1) << result.out;
    EXPECT_TRUE(has(result.out, "tensors differ: masked_scores, ")) << result.out;
  }
}

TEST(PyTorchScriptRun, AFileThatCannotBeReadIsNamed) {
  const TempFolder folder;
  const auto document = test::randomDocument(sized(16, 2, 3));
  for (const char* name : {"cut", "missing", "shape"}) exportPass(folder / name, document);
  fs::resize_file(folder / "cut/tensors/W_K.npy", 200);
  fs::remove(folder / "missing/tensors/weights.npy");
  fs::copy_file(folder / "shape/tensors/x.npy", folder / "shape/tensors/W_Q.npy",
                fs::copy_options::overwrite_existing);
  const auto results = runScripts({folder / "cut", folder / "missing", folder / "shape"});
  const char* named[] = {"W_K.npy cannot be read", "weights.npy cannot be read",
                         "W_Q.npy has the shape (1, 3, 16), not (16, 16)"};
  for (std::size_t i = 0; i < results.size(); ++i) {
    EXPECT_EQ(results[i].status, 1) << results[i].out;
    EXPECT_TRUE(has(results[i].out, named[i])) << results[i].out;
  }
}

TEST(PyTorchScriptRun, EndsWithItsStatusAsAProgram) {
  const TempFolder folder;
  exportPass(folder.path(), test::randomDocument(sized(24, 4, 6)));
  const Finished agrees = runScript(folder.path());
  EXPECT_EQ(agrees.status, 0) << agrees.out;
  EXPECT_TRUE(has(agrees.out, "all 15 tensors agree")) << agrees.out;
  damage(folder.path(), "weights");
  const Finished differs = runScript(folder.path());
  EXPECT_EQ(differs.status, 1) << differs.out;
  EXPECT_TRUE(has(differs.out, "DIFFERS")) << differs.out;
}

TEST(NumPyFile, AnArchiveIsReadByNumPy) {
  const TempFolder folder;
  const Tensor wide = Tensor::fromValues({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  writeNpz(folder / "all.npz", {{"grad.heads", {2, 3}, [&] { return wide; }},
                                {"turned", {3, 2}, [&] { return wide.transposed(0, 1); }}});
  const Finished read = shell(python() +
                              " -c 'import numpy, sys, zipfile; "
                              "print(zipfile.ZipFile(sys.argv[1]).testzip()); "
                              "z = numpy.load(sys.argv[1]); "
                              "print([(k, z[k].tolist(), str(z[k].dtype)) for k in z.files])' '" +
                              (folder / "all.npz").string() + "' 2>&1");
  EXPECT_EQ(read.out,
            "None\n[('grad.heads', [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], 'float32'), "
            "('turned', [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]], 'float32')]\n");
}

}  // namespace
}  // namespace headscope::formats
