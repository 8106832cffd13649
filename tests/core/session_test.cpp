// Sessions: every part of a document is restored bit for bit, damage is named, and a save
// interrupted anywhere leaves the previous session or the new one.
#include "core/formats/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/formats/link.h"
#include "core/formats/session_lock.h"
#include "core/platform/files.h"
#include "core/presets/presets.h"
#include "core/tensor/safetensors.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/every_setting.h"
#include "tests/core/support/same_document.h"

namespace headscope::test {
namespace {

namespace fs = std::filesystem;
using formats::SavedScene;
using formats::Session;
using nlohmann::json;

class SessionFile : public testing::Test {
 protected:
  fs::path path_() const { return folder_ / "lecture.headscope.json"; }
  Session load() const { return formats::loadSession(path_(), kBudget); }
  json saved() const { return json::parse(readAll(path_())); }
  void write(const json& j) const { folder_.file("lecture.headscope.json", j.dump()); }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  TempFolder folder_;
};

TEST_F(SessionFile, EveryKindOfDocumentComesBackBitForBit) {
  const std::vector<DocumentPtr> documents{
      everything(),
      fromTexts({"Only words"}),
      edited(fromTexts({"Only words"}), SetTokens{7}),
      edited(fromTexts({"Only words"}), SetBatch{3}),
      edited(fromTexts({"Fewer", "heads there are"}), SetDimensions{48, 4, 2}),
      edited(fromTexts({"Heads of a width of their own"}), SetDimensions{48, 5, 1, 7}),
      fromSource(SeriesSource{{series(5), series(9)}}),
      edited(fromSource(SeriesSource{{series(5)}}), SetCell{{TensorId::x, 0, -1, 1, 1}, 2.0F}),
      fromTensors(2, {"a", "b", "c", "d"}),
      edited(fromTensors(2), SetCell{{TensorId::x, 1, -1, 1, 1}, 2.0F}),
      makePreset(presetByName("by-hand"), {}, kBudget),
      fromSource(TensorSource{"cross",
                              randomTensor({1, 4, 8}, 1, "x", 1.0F),
                              randomTensor({1, 3, 6}, 1, "m", 1.0F),
                              {},
                              {"k", "l", "m"}}),
  };
  for (const DocumentPtr& document : documents) {
    formats::saveSession(path_(), {document, R"({"step":"mask"})", {}, {}});
    const Session session = load();
    expectSame(*document, *session.document);
    expectConsistent(*session.document);
    EXPECT_EQ(session.view, R"({"step":"mask"})");
    EXPECT_EQ(files().size(), 2U);
  }
}

/// A lock that another process never releases must not stop the program for ever.
TEST_F(SessionFile, AFolderThatStaysLockedIsSaidInWords) {
  const DocumentPtr document = fromTexts({"Only words"});
  formats::saveSession(path_(), {document, "{}", {}, {}});
  std::error_code why;
  auto lock = platform::FileLock::wait(folder_.path(), platform::FileLock::Kind::exclusive, 0, why);
  ASSERT_NE(lock, nullptr);
  EXPECT_THROW(load(), formats::SessionLocked);
  expectUserError(
      [&] {
        formats::saveSession(path_(), {document, "{}", {}, {}});
      },
      "lecture.headscope.json is locked", "try again");
  lock.reset();
  EXPECT_NO_THROW(load());
}

/// Files from before d_k could be given by itself.
TEST_F(SessionFile, WithoutAHeadDimItIsTheDivision) {
  const DocumentPtr document = fromTexts({"Only words"});
  formats::saveSession(path_(), {document, "{}", {}, {}});
  json file = saved();
  ASSERT_EQ(file["document"]["config"].erase("head_dim"), 1U);
  write(file);
  expectSame(*document, *load().document);
}

/// Files from before scenes had more words than a title.
TEST_F(SessionFile, ScenesMayHaveATitleAlone) {
  const DocumentPtr document = fromTexts({"Only words"});
  formats::saveSession(path_(),
                       {document, "{}", {{1, {"one", "read", "said"}, document, "{}"}}, {}});
  json file = saved();
  ASSERT_EQ(file["scenes"][0].erase("sentence") + file["scenes"][0].erase("speaker"), 2U);
  write(file);
  const Session session = load();
  EXPECT_EQ(session.scenes[0].words.title, "one");
  EXPECT_EQ(session.scenes[0].words.sentence + session.scenes[0].words.speaker, "");
}

TEST_F(SessionFile, ScenesComeBackAndShareWhatTheyShared) {
  const DocumentPtr first = fromTexts({"The cat sat"});
  const DocumentPtr second = edited(first, SetCell{{TensorId::wO, -1, -1, 0, 0}, 5.0F});
  formats::saveSession(
      path_(),
      {second,
       "{}",
       {{2, {"after"}, second, R"({"head":1})"},
        {9, {"vorher: Übung „eins“", "Was fällt auf?", "Warten."}, first, R"({"head":3})"}},
       "/home/a/lecture.headscope.json"});
  const Session session = load();
  ASSERT_EQ(session.scenes.size(), 2U);
  EXPECT_EQ(session.scenes[1].number, 9);
  EXPECT_EQ(session.scenes[1].words.title, "vorher: Übung „eins“");
  EXPECT_EQ(session.scenes[1].words.sentence, "Was fällt auf?");
  EXPECT_EQ(session.scenes[1].words.speaker, "Warten.");
  EXPECT_EQ(session.scenes[1].view, R"({"head":3})");
  EXPECT_EQ(session.origin, "/home/a/lecture.headscope.json");
  EXPECT_EQ(formats::originOf(path_()), session.origin);
  const Document& a = *session.scenes[0].document;
  const Document& b = *session.scenes[1].document;
  expectSame(*second, a);
  expectSame(*first, b);
  EXPECT_TRUE(sameWeights(a, *session.document));
  EXPECT_TRUE(a.weights.wQ.sameAs(b.weights.wQ));
  EXPECT_TRUE(a.input->x.sameAs(b.input->x));
  EXPECT_FALSE(a.weights.wO.sameAs(b.weights.wO));
  const SafetensorsFile tensors(folder_ / saved().at("tensors").get<std::string>());
  EXPECT_EQ(tensors.names().size(), 10U);  // x, eight weights, and one W_O more
}

TEST_F(SessionFile, ANewerVersionIsRefusedWithTheProgramThatReadsIt) {
  formats::saveSession(path_(), {fromTexts({"a b"}), "{}", {}, {}});
  json j = saved();
  j["version"] = 2;
  j["program"] = "3.1.4";
  write(j);
  expectUserError([&] { load(); }, "lecture.headscope.json", "version 2", "reads version 1",
                  "headscope 3.1.4 or newer");
  j["version"] = "one";
  write(j);
  expectUserError([&] { load(); }, "version must be a whole number");
}

/// Appends the pointers to all objects in `value`, except views and their contents.
void objectsIn(const json& value, const json::json_pointer& at,
               std::vector<json::json_pointer>& all) {
  if (value.is_object()) all.push_back(at);
  if (!value.is_structured()) return;
  for (const auto& [name, below] : value.items()) {
    if (value.is_object() && name == "view") continue;
    objectsIn(below, value.is_array() ? at / std::stoul(name) : at / name, all);
  }
}

std::vector<json::json_pointer> objectsIn(const json& value) {
  std::vector<json::json_pointer> all;
  objectsIn(value, json::json_pointer(), all);
  return all;
}

/// A document with the settings that exclude those of `everything`.
DocumentPtr rotated() {
  const DocumentPtr d = fromTensors(2, {"a", "b", "c", "d"});
  Rotary rotary;
  rotary.theta = 10'000.0;
  return edited(d, SetRotary{rotary});
}

/// An unknown field may change the pass, so it must be refused.
TEST_F(SessionFile, AFieldThatIsNotKnownIsRefusedWhereverItStands) {
  formats::saveSession(path_(), {everything(),
                                 "{}",
                                 {{1, {"t"}, rotated(), "{}"},
                                  {2, {"t"}, fromSource(SeriesSource{{series(5)}}), "{}"}},
                                 {}});
  const json good = saved();
  const auto places = objectsIn(good);
  ASSERT_GT(places.size(), 20U);
  for (const auto& place : places) {
    json j = good;
    j[place]["soft_cap"] = 0.1;
    write(j);
    SCOPED_TRACE(place.to_string());
    expectUserError([&] { load(); }, "lecture.headscope.json", "soft_cap is 0.1",
                    "does not know; was the file made by a newer headscope?");
  }
}

TEST_F(SessionFile, AFieldThatStandsTwiceIsRefused) {
  formats::saveSession(path_(), {fromTexts({"a b"}), "{}", {}, {}});
  std::string text = readAll(path_());
  const std::string field = "\"temperature\": 1.0";
  ASSERT_NE(text.find(field), std::string::npos);
  text.insert(text.find(field), "\"temperature\": 2.0, ");
  folder_.file("lecture.headscope.json", text);
  expectUserError([&] { load(); }, "document.config.temperature appears twice");
}

/// No number depends on a view, so unknown fields in it are ignored.
TEST_F(SessionFile, UnknownFieldsOfAViewArePassedOver) {
  formats::saveSession(path_(), {everything(), "{}", {{1, {"t"}, everything(), "{}"}}, {}});
  json j = saved();
  j["view"]["later"] = {{"a", 1}};
  j["scenes"][0]["view"]["later"] = true;
  write(j);
  const Session session = load();
  expectSame(*everything(), *session.document);
  EXPECT_EQ(json::parse(session.view), j["view"]) << "a save keeps them";
  EXPECT_EQ(json::parse(session.scenes.at(0).view), j["scenes"][0]["view"]);
}

TEST(Link, AFieldThatIsNotKnownIsRefusedWhereverItStands) {
  const DocumentPtr d = edited(fromTexts({"a b"}), SetCell{{TensorId::wQ, -1, -1, 1, 2}, 0.25F});
  const json good = json::parse(formats::linkText({d, "{}", {{1, {"t"}, d, "{}"}}, {}}, kBudget));
  EXPECT_NO_THROW(formats::sessionFromLink(good.dump(), kBudget));
  for (const auto& place : objectsIn(good)) {
    if (place == json::json_pointer("/own")) continue;  // names of tensors
    json j = good;
    j[place]["soft_cap"] = 0.1;
    SCOPED_TRACE(place.to_string());
    expectUserError([&] { formats::sessionFromLink(j.dump(), kBudget); },
                    "the link: ", "soft_cap is 0.1");
  }
}

TEST_F(SessionFile, ThatSomebodyElseHasSavedIsNotReplaced) {
  const DocumentPtr mine = fromTexts({"mine"});
  const auto first = formats::saveSession(path_(), {mine, "{}", {}, {}});
  EXPECT_EQ(load().content, first.content);
  formats::saveSession(path_(), {fromTexts({"theirs"}), "{}", {}, {}}, first.content);
  const std::string theirs = readAll(path_());
  const auto before = files();
  EXPECT_THROW(formats::saveSession(path_(), {mine, "{}", {}, {}}, first.content),
               formats::SessionChanged);
  EXPECT_EQ(readAll(path_()), theirs);
  EXPECT_EQ(files(), before);
  EXPECT_NO_THROW(load());
  fs::remove(path_());  // nothing is lost here
  EXPECT_EQ(formats::saveSession(path_(), {mine, "{}", {}, {}}, first.content).content,
            first.content);
}

struct Damage {
  const char* field;  // JSON pointer
  json value;         // discarded: the field is removed
  std::string named;  // must be in the message, next to the file
};

TEST_F(SessionFile, EveryDamageIsNamed) {
  formats::saveSession(path_(), {everything(), "{}", {{1, {"t"}, everything(), "{}"}}, {}});
  const json good = saved();
  const json gone = json(json::value_t::discarded);
  const std::vector<Damage> damages{
      {"/document", gone, "document is missing"},
      {"/document/config/d_model", gone, "document.config.d_model is missing"},
      {"/document/config/d_model", "wide", "document.config.d_model must be a whole number"},
      {"/document/config/d_model", 3.5, "document.config.d_model must be a whole number"},
      {"/document/config/d_model", 18446744073709551615ULL, "document.config.d_model must be"},
      {"/document/config/d_model", 50, "document.config cannot be used"},
      {"/document/config/seq_len", 65536, "document"},
      {"/document/config/num_heads", 0, "document.config cannot be used"},
      {"/document/config/temperature", nullptr, "temperature is missing"},
      {"/document/config/temperature", 0, "document.config cannot be used"},
      {"/document/config/causal", 1, "causal must be true or false"},
      {"/document/config/lengths", {7, 9, 9}, "document.config cannot be used"},
      {"/document/config/painted/keys", 4, "document.config.painted is"},
      {"/document/config/painted/runs/0", -1, "painted.runs do not add up"},
      {"/document/config/painted/runs/1", 1 << 30, "painted.runs do not add up"},
      {"/document/config/mistakes/0", "typo", "document.config.mistakes[0]"},
      {"/document/config/head_gains/0", 1e39, "head_gains[0] is 1e+39, beyond float32's range"},
      {"/document/config/dropout/rate", 1.5, "document.config cannot be used"},
      {"/document/config/dropout/seed", -1, "dropout.seed must be a whole number of at least 0"},
      {"/document/positions", "random", "document.positions must be"},
      {"/document/source/kind", "sound", "document.source.kind must be"},
      {"/document/source/texts", {"", ""}, "document.source cannot be used"},
      {"/document/source/texts/0", 5, "document.source.texts[0] must be a text"},
      {"/document/input/x", "nowhere", "document.input.x is the tensor \"nowhere\""},
      {"/document/input/x", "document.W_Q", "document.input.x"},
      {"/document/weights/W_Q", "document.b_Q", "expected (48, 48), found (48,)"},
      {"/document/weights/init", "magic", "document.weights.init"},
      {"/document/pins/0/cell", "raw_scores[9,0,0,0]", "document.pins[0].cell"},
      {"/document/pins/0/cell", "output[0,0,0]", "document.pins[0].cell"},
      {"/document/pins/0/value", 1e300, "pins[0].value is 1e+300, beyond float32's range"},
      {"/view", {1, 2}, "view must be an object"},
      {"/scenes/0/number", 10, "scenes[0].number must be 1 to 9"},
      {"/scenes/0/title", gone, "scenes[0].title is missing"},
      {"/scenes/0/document/config/batch", -1, "scenes[0].document.config"},
      {"/tensors", "../other.safetensors", "tensors must be the name of a file"},
      {"/tensors", "/etc/passwd", "tensors must be the name of a file"},
      {"/tensors", "..", "tensors must be the name of a file"},
      {"/tensors", "none.safetensors", "none.safetensors"},
      {"/format", "other", "not a headscope session"},
  };
  for (const Damage& damage : damages) {
    json j = good;
    const json::json_pointer at(damage.field);
    if (damage.value.is_discarded()) {
      j.at(at.parent_pointer()).erase(at.back());
    } else {
      ASSERT_TRUE(j.contains(at)) << damage.field;
      j[at] = damage.value;
    }
    write(j);
    SCOPED_TRACE(damage.field);
    expectUserError([&] { load(); }, "lecture.headscope.json", damage.named);
  }
  write(good);
  EXPECT_NO_THROW(load());
  json twice = good;
  twice["scenes"].push_back(twice["scenes"][0]);
  write(twice);
  expectUserError([&] { load(); }, "scenes[1].number");
}

TEST_F(SessionFile, FilesThatAreNoSessionsAreNamed) {
  expectUserError([&] { load(); }, "lecture.headscope.json", "No such file");
  folder_.file("lecture.headscope.json", "{\"format\": ");
  expectUserError([&] { load(); }, "cut short or damaged at byte");
  folder_.file("lecture.headscope.json", std::string(100000, '['));
  expectUserError([&] { load(); }, "levels deep");
  folder_.file("lecture.headscope.json", "[1e999999]");
  expectUserError([&] { load(); }, "lecture.headscope.json");
  expectUserError(
      [&] {
        formats::saveSession(folder_ / "lecture.txt", {fromTexts({"a"}), "{}", {}, {}});
      },
      "lecture.txt", ".headscope.json");
}

TEST_F(SessionFile, DamagedTensorsAreNamed) {
  formats::saveSession(path_(), {fromTexts({"a b"}), "{}", {}, {}});
  const fs::path tensors = folder_ / saved().at("tensors").get<std::string>();
  const std::string bytes = readAll(tensors);
  const std::string name = tensors.filename().string();
  folder_.file(name, bytes.substr(0, bytes.size() - 4));
  expectUserError([&] { load(); }, name);
  std::string nan = bytes;
  nan.replace(nan.size() - 4, 4, "\xff\xff\xff\xff");
  folder_.file(name, nan);
  expectUserError([&] { load(); }, name, "is NaN");
  fs::remove(tensors);
  expectUserError([&] { load(); }, name, "put both into one folder");
}

TEST_F(SessionFile, TheBudgetHoldsForAllItsTensorsTogether) {
  const DocumentPtr a = fromTexts({"a b"});
  const DocumentPtr b = edited(a, DrawWeights{WeightInit::normal, 2});
  const DocumentPtr c = edited(a, DrawWeights{WeightInit::normal, 3});
  formats::saveSession(path_(), {a, "{}", {{1, {""}, b, "{}"}, {2, {""}, c, "{}"}}, {}});
  const Index all = 12 * 48 * 48 * 4;
  EXPECT_NO_THROW(formats::loadSession(path_(), 2 * all));
  expectUserError([&] { formats::loadSession(path_(), all); }, "lecture.headscope.json",
                  "make the session smaller");
}

/// The files on the disk after a save that is killed at any of its stages.
TEST_F(SessionFile, AnInterruptedSaveLeavesTheOldOrTheNew) {
  const DocumentPtr before = fromTexts({"The old one"});
  const DocumentPtr after = edited(before, DrawWeights{WeightInit::normal, 2});
  formats::saveSession(path_(), {after, "{}", {}, {}});
  const std::string newJson = readAll(path_());
  const std::string newTensors = saved().at("tensors");
  const std::string newBytes = readAll(folder_ / newTensors);
  formats::removeSession(path_());
  EXPECT_TRUE(files().empty());
  formats::saveSession(path_(), {before, "{}", {}, {}});
  const std::string oldTensors = saved().at("tensors");
  ASSERT_NE(oldTensors, newTensors);

  const std::string temporary = ".tmp-" + std::to_string(endedProcess()) + "-0";

  folder_.file(newTensors + temporary, newBytes.substr(0, 100));  // while the tensors are written
  expectSame(*before, *load().document);
  folder_.file(newTensors, newBytes);  // once they are
  expectSame(*before, *load().document);
  folder_.file("lecture.headscope.json" + temporary, newJson.substr(0, 50));  // … and the JSON
  expectSame(*before, *load().document);
  folder_.file("lecture.headscope.json", newJson);  // renamed, nothing removed yet
  expectSame(*after, *load().document);

  formats::saveSession(path_(), {after, R"({"head":2})", {}, {}});
  expectSame(*after, *load().document);
  EXPECT_EQ(files(), (std::vector<std::string>{newTensors, "lecture.headscope.json"}));
}

TEST_F(SessionFile, ADamagedTensorsFileOfTheSameNameIsWrittenAgain) {
  const Session session{fromTexts({"a b"}), "{}", {}, {}};
  formats::saveSession(path_(), session);
  const std::string tensors = saved().at("tensors");
  std::string bytes = readAll(folder_ / tensors);
  bytes[bytes.size() - 2] ^= 1;
  folder_.file(tensors, bytes);
  formats::saveSession(path_(), session);
  expectSame(*session.document, *load().document);
}

TEST_F(SessionFile, ACopyOfTheJsonKeepsItsTensors) {
  const DocumentPtr before = fromTexts({"The old one"});
  formats::saveSession(path_(), {before, "{}", {}, {}});
  fs::copy_file(path_(), folder_ / "copy.headscope.json");
  formats::saveSession(path_(), {fromTexts({"The new one"}), "{}", {}, {}});
  expectSame(*before, *formats::loadSession(folder_ / "copy.headscope.json", kBudget).document);
}

TEST_F(SessionFile, ASaveThatFailsNamesThePathAndLeavesTheOldOne) {
  const DocumentPtr before = fromTexts({"The old one"});
  formats::saveSession(path_(), {before, "{}", {}, {}});
  expectUserError(
      [&] {
        formats::saveSession(folder_ / "no" / "where.headscope.json", {before, "{}", {}, {}});
      },
      "where", "No such file");
  fs::create_directory(folder_ / "taken.headscope.json");
  expectUserError(
      [&] {
        formats::saveSession(folder_ / "taken.headscope.json", {before, "{}", {}, {}});
      },
      "taken.headscope.json", "directory");
  EXPECT_EQ(files().size(), 3U);  // no tensors without a session
}

TEST(SessionNames, HaveTheirEnding) {
  EXPECT_EQ(formats::withSessionEnding("a/lecture"), "a/lecture.headscope.json");
  EXPECT_EQ(formats::withSessionEnding("a/Lecture.HEADSCOPE.json"), "a/Lecture.HEADSCOPE.json");
  EXPECT_EQ(formats::sessionName("a/lecture.1.headscope.json"), "lecture.1");
  EXPECT_FALSE(formats::isSession(".headscope.json"));
}

}  // namespace
}  // namespace headscope::test
