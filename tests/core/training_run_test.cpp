// Saved runs: a loaded run continues exactly, and files that are damaged or of another run are
// refused with a message.
#include "core/formats/training_run.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/tensor/safetensors.h"
#include "tests/core/test_files.h"

namespace headscope::test {
namespace {

namespace fs = std::filesystem;
using namespace training;

constexpr Index kRunBudget = Index{1} << 30;

TrainingSettings smallRun() {
  TrainingSettings settings = settingsOf(taskFromString("brackets"));
  settings.model.dModel = 16;
  settings.batch = 8;
  settings.steps = 12;
  settings.evaluateEvery = 4;
  settings.optimiser.weightDecay = 0.01;
  return settings;
}

void trainTo(Trainer& run, Index steps) {
  while (run.stepsTaken() < steps) ASSERT_TRUE(run.step({}));
}

void expectSameRuns(const Trainer& a, const Trainer& b) {
  EXPECT_EQ(a.settings(), b.settings());
  EXPECT_EQ(a.stepsTaken(), b.stepsTaken());
  ASSERT_EQ(a.model().parameters().size(), b.model().parameters().size());
  for (std::size_t i = 0; i < a.model().parameters().size(); ++i) {
    const Parameter& left = a.model().parameters()[i];
    const Parameter& right = b.model().parameters()[i];
    EXPECT_EQ(left.name, right.name);
    EXPECT_EQ(left.value.values(), right.value.values()) << left.name;
    EXPECT_EQ(left.mean.empty(), right.mean.empty());
    if (left.mean.empty() || right.mean.empty()) continue;
    EXPECT_EQ(left.mean.values(), right.mean.values()) << left.name;
    EXPECT_EQ(left.square.values(), right.square.values()) << left.name;
  }
  ASSERT_EQ(a.records().size(), b.records().size());
  for (std::size_t i = 0; i < a.records().size(); ++i) {
    EXPECT_EQ(a.records()[i].step, b.records()[i].step);
    EXPECT_EQ(a.records()[i].loss, b.records()[i].loss);
    EXPECT_EQ(a.records()[i].gradientLength, b.records()[i].gradientLength);
    EXPECT_EQ(a.records()[i].heads, b.records()[i].heads);
  }
  ASSERT_EQ(a.evaluations().size(), b.evaluations().size());
  for (std::size_t i = 0; i < a.evaluations().size(); ++i) {
    const Evaluation& left = a.evaluations()[i];
    const Evaluation& right = b.evaluations()[i];
    EXPECT_EQ(left.step, right.step);
    EXPECT_EQ(left.losses.loss, right.losses.loss);
    for (std::size_t q = 0; q < left.losses.questions.size(); ++q) {
      EXPECT_EQ(left.losses.questions[q].accuracy, right.losses.questions[q].accuracy);
    }
    for (std::size_t l = 0; l < left.roles.layers.size(); ++l) {
      EXPECT_EQ(left.roles.layers[l].mass, right.roles.layers[l].mass);
      EXPECT_EQ(left.roles.layers[l].entropy, right.roles.layers[l].entropy);
      EXPECT_EQ(left.roles.layers[l].similarity.values, right.roles.layers[l].similarity.values);
    }
    for (std::size_t r = 0; r < left.roles.relations.size(); ++r) {
      EXPECT_EQ(left.roles.relations[r].head, right.roles.relations[r].head);
      EXPECT_EQ(left.roles.relations[r].mass, right.roles.relations[r].mass);
      EXPECT_EQ(left.roles.relations[r].found, right.roles.relations[r].found);
    }
  }
}

void replaceIn(const fs::path& path, const std::string& what, const std::string& with) {
  std::string text = readAll(path);
  const std::size_t at = text.find(what);
  ASSERT_NE(at, std::string::npos) << what;
  std::ofstream(path, std::ios::binary) << text.replace(at, what.size(), with);
}

fs::path stateIn(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".safetensors") return entry.path();
  }
  return {};
}

class SavedRun : public testing::Test {
 protected:
  SavedRun() : run_(taskFromString("brackets"), smallRun(), kRunBudget) {}

  fs::path folder() const { return files_ / "run"; }
  std::unique_ptr<Trainer> loaded() const { return formats::loadRun(folder(), kRunBudget); }
  template <typename... Parts>
  void expectRefused(Parts... parts) const {
    expectUserError([this] { loaded(); }, parts...);
  }

  TempFolder files_;
  Trainer run_;
};

TEST_F(SavedRun, ContinuesAsIfItHadNotStopped) {
  for (const Index stop : {0, 3, 8}) {
    Trainer interrupted(run_.task(), smallRun(), kRunBudget);
    trainTo(interrupted, stop);
    formats::saveRun(folder(), interrupted);
    const auto after = loaded();
    expectSameRuns(*after, interrupted);
    EXPECT_EQ(after->trainingMs(), interrupted.trainingMs());
    trainTo(*after, 12);
    if (run_.stepsTaken() == 0) trainTo(run_, 12);
    expectSameRuns(*after, run_);
  }
}

TEST_F(SavedRun, OfPlainDescentHasNoMoments) {
  TrainingSettings settings = smallRun();
  settings.optimiser.method = OptimiserSettings::Method::sgd;
  Trainer run(run_.task(), settings, kRunBudget);
  trainTo(run, 3);
  formats::saveRun(folder(), run);
  const auto after = loaded();
  trainTo(*after, 6);
  trainTo(run, 6);
  expectSameRuns(*after, run);
}

TEST_F(SavedRun, TakesThePlaceOfTheOneBefore) {
  trainTo(run_, 2);
  formats::saveRun(folder(), run_);
  trainTo(run_, 4);
  formats::saveRun(folder(), run_);
  expectSameRuns(*loaded(), run_);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder()), fs::directory_iterator()), 2);
}

TEST_F(SavedRun, StaysWhereTheNextOneCannotBeWritten) {
  trainTo(run_, 2);
  formats::saveRun(folder(), run_);
  const std::string before = readAll(folder() / "run.json");
  EXPECT_THROW(formats::saveRun(folder() / "run.json", run_), UserError);
  EXPECT_EQ(readAll(folder() / "run.json"), before);
}

TEST_F(SavedRun, ThatIsDamagedIsRefused) {
  expectRefused("run.json", "cannot read");
  trainTo(run_, 2);
  formats::saveRun(folder(), run_);
  const std::string json = readAll(folder() / "run.json");
  const fs::path state = stateIn(folder());
  const std::string numbers = readAll(state);

  fs::resize_file(folder() / "run.json", json.size() / 2);
  expectRefused("run.json", "cut short or damaged");
  std::ofstream(folder() / "run.json") << R"({"format": "headscope session", "version": 1})";
  expectRefused("run.json", "does not belong to a training run");
  std::ofstream(folder() / "run.json") << json;

  fs::resize_file(state, numbers.size() - 40);
  expectRefused(state.filename().string());
  std::string other = numbers;
  other[other.size() - 1] ^= 1;
  std::ofstream(state, std::ios::binary) << other;
  expectRefused(state.filename().string(), "was changed after it was saved");
  fs::remove(state);
  expectRefused(state.filename().string(), "cannot read");
}

/// A file that is cut anywhere or has any byte changed is read or refused with a message.
TEST_F(SavedRun, ThatIsDamagedAnywhereIsRefusedOrTaken) {
  trainTo(run_, 2);
  formats::saveRun(folder(), run_);
  const std::string json = readAll(folder() / "run.json");
  const auto tryWith = [&](const std::string& text) {
    std::ofstream(folder() / "run.json", std::ios::binary) << text;
    try {
      trainTo(*loaded(), 3);
    } catch (const UserError&) {
    }
  };
  for (std::size_t cut = 0; cut + 3 < json.size(); cut += 211) {
    std::ofstream(folder() / "run.json", std::ios::binary) << json.substr(0, cut);
    expectRefused("run.json");
  }
  for (std::size_t at = 0; at < json.size(); at += 37) {
    std::string other = json;
    other[at] = other[at] == '1' ? '7' : '1';
    tryWith(other);
  }
}

TEST_F(SavedRun, OfAnotherShapeIsRefused) {
  trainTo(run_, 2);
  formats::saveRun(folder(), run_);
  const std::string json = readAll(folder() / "run.json");
  const auto with = [&](const std::string& what, const std::string& by) {
    std::ofstream(folder() / "run.json") << json;
    replaceIn(folder() / "run.json", what, by);
  };
  with("\"d_model\": 16", "\"d_model\": 32");
  expectRefused(stateIn(folder()).filename().string(), "embedding.0 is (2, 16)", "has (2, 32)");
  with("\"heads\": 2", "\"heads\": 3");
  expectRefused("d_model 16 does not divide into 3 heads");
  with("\"task\": \"brackets\"", "\"task\": \"bracelets\"");
  expectRefused("run.json", "bracelets");
  with("\"steps_taken\": 2", "\"steps_taken\": 3");
  expectRefused("run.json", "curve has 2 values where the run has 3");
  with("\"optimiser\": \"adam\"", "\"optimiser\": \"magic\"");
  expectRefused("run.json", "settings.optimiser must be adam or sgd");
  with("\"head\": ", "\"head\": 4");
  expectRefused("run.json", "names a head that the model does not have");
  with("\"version\": 1", "\"version\": 7");
  expectRefused("run.json", "version 7");
  for (const char* field : {"d_model", "steps_taken", "loss", "mass", "asked", "undefined"}) {
    const std::string name = fmt::format("\"{}\": ", field);
    with(name, "\"soft_cap\": 0.1, " + name);
    expectRefused("run.json", "soft_cap is 0.1, a field that headscope");
  }
  with("\"tensors\": \"", "\"tensors\": \"../");
  expectRefused("tensors must be the name of a file in the run's own folder");
  with("\"snapshot_bytes\": 67108864", "\"snapshot_bytes\": 67108864000");
  expectRefused("more than the memory budget of 1.07 GB");
}

}  // namespace
}  // namespace headscope::test
