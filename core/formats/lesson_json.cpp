#include "core/formats/lesson_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "core/attention/mistakes.h"
#include "core/attention/switches.h"
#include "core/base/assets.h"
#include "core/base/file_error.h"
#include "core/base/json.h"
#include "core/formats/shipped_model.h"
#include "core/presets/presets.h"

namespace headscope::formats {
namespace {

using lessons::Check;
using lessons::Condition;
using lessons::Lesson;
using lessons::Prediction;
using lessons::Scene;
using lessons::SceneState;

constexpr std::string_view kLessonEnding = ".lesson.json";

using Read = std::function<void(const JsonField&)>;
using ReadFields = std::map<std::string_view, Read>;

/// Reads the fields of an object, each with its own function. Refuses unknown fields by name.
void readFields(const JsonField& object, const ReadFields& known) {
  for (const auto& [name, field] : object.fields()) {
    const auto found = known.find(name);
    if (found == known.end()) {
      std::string names;
      for (const auto& [each, read] : known)
        names += fmt::format("{}{}", names.empty() ? "" : ", ", each);
      field.refuseUnknown(names);
    }
    try {
      found->second(field);
    } catch (const FileError&) {
      throw;
    } catch (const UserError& error) {  // such as an unknown preset
      throw FileError(fmt::format("{}: {}: {}", field.file(), field.path(), error.what()));
    }
  }
}

CellRef cellNamed(const JsonField& field, const std::string& text) {
  const auto cell = cellFromString(text);
  if (!cell) field.fail(fmt::format("names no cell: '{}'; as \"raw_scores[0, 1, 2, 3]\"", text));
  return *cell;
}

/// {"raw_scores[0, 0, 2, 1]": 30}: reads each cell and its new value.
void readCells(const JsonField& field, const std::function<void(const CellRef&, float)>& take) {
  for (const auto& [name, value] : field.fields()) {
    take(cellNamed(value, name), value.float32());
  }
}

/// The fields of a state, each with the function that reads it.
ReadFields fieldsOf(SceneState& state) {
  const auto edit = [&](auto make) {
    return [&state, make](const JsonField& f) { state.edits.push_back(make(f)); };
  };
  const auto number = [](std::optional<Index>& to) {
    return [&to](const JsonField& f) { to = f.whole(); };
  };
  ReadFields fields{
      {"preset", [&](const JsonField& f) { state.preset = presetByName(f.text()).name; }},
      {"example", [&](const JsonField& f) { state.example = exampleByName(f.text()).name; }},
      {"init", [&](const JsonField& f) { state.init = weightInitFromString(f.text()); }},
      {"seed", [&](const JsonField& f) { state.seed = f.seed(); }},
      {"d_model", number(state.dModel)},
      {"heads", number(state.heads)},
      {"kv_heads", number(state.kvHeads)},
      {"d_k", number(state.dK)},
      {"causal", [&](const JsonField& f) { state.causal = f.flag(); }},
      {"window", number(state.window)},
      {"lengths", [&](const JsonField& f) { state.lengths = f.wholes(); }},
      {"text", edit([](const JsonField& f) -> Edit {
         return SetText{0, false, f.text()};
       })},
      {"memory_text", edit([](const JsonField& f) -> Edit {
         return SetText{0, true, f.text()};
       })},
      {"heads_off",
       [&](const JsonField& f) {
         for (const Index head : f.wholes()) state.edits.push_back(SetHeadGain{head, 0.0F});
       }},
      {"heads_on",
       [&](const JsonField& f) {
         for (const Index head : f.wholes()) state.edits.push_back(SetHeadGain{head, 1.0F});
       }},
      {"mistakes",
       [&](const JsonField& f) {
         for (const auto& id : f.texts()) {
           state.edits.push_back(SetMistake{mistakeFromString(id), true});
         }
       }},
      {"without_mistakes",
       [&](const JsonField& f) {
         for (const auto& id : f.texts()) {
           state.edits.push_back(SetMistake{mistakeFromString(id), false});
         }
       }},
      {"pins",
       [&](const JsonField& f) {
         readCells(f, [&](const CellRef& cell, float value) {
           state.edits.push_back(SetPin{{cell, value}});
         });
       }},
      {"cells", [&](const JsonField& f) {
         readCells(f, [&](const CellRef& cell, float value) {
           state.edits.push_back(SetCell{cell, value});
         });
       }}};
  for (const Switch& each : allSwitches()) {
    fields[each.key] = edit([&each](const JsonField& f) {
      return setSwitch(each, each.isFlag() ? (f.flag() ? 1.0 : 0.0) : f.number());
    });
  }
  return fields;
}

SceneState readState(const JsonField& object) {
  SceneState state;
  readFields(object, fieldsOf(state));
  return state;
}

/// A view's fields are the program's own to read.
Read viewInto(std::string& view) {
  return [&view](const JsonField& f) {
    static_cast<void>(f.fields());
    view = f.value().dump();
  };
}

/// [[0, 1], [1, 3]]: layers and heads, from 0.
std::vector<HeadOfLayer> readModelHeads(const JsonField& list) {
  std::vector<HeadOfLayer> heads;
  for (const JsonField& each : list.items()) {
    const std::vector<Index> both = each.wholes();
    if (both.size() != 2) each.fail("must be a layer and a head, from 0, as [0, 2]");
    heads.push_back({both[0], both[1]});
  }
  return heads;
}

lessons::Way readWay(const JsonField& object) {
  lessons::Way way;
  ReadFields known = fieldsOf(way.state);
  known["view"] = viewInto(way.view);
  known["choose"] = [&](const JsonField& f) { way.choose = f.text(); };
  known["card"] = [&](const JsonField& f) { way.card = f.text(); };
  known["control"] = [&](const JsonField& f) { way.control = f.text(); };
  known["model_heads_off"] = [&](const JsonField& f) { way.modelHeadsOff = readModelHeads(f); };
  known["train_step"] = [&](const JsonField& f) {
    way.trainStep = f.value().text() != nullptr ? f.text() : std::to_string(f.whole());
  };
  readFields(object, known);
  return way;
}

lessons::Fact readFact(const JsonField& field) {
  if (field.value().text() != nullptr) return field.text();
  if (field.value().flag() != nullptr) return field.flag() ? 1.0 : 0.0;
  return field.number();
}

/// {"d_k": 64, "causal": true, "weights[0, 1, 2, 3]": {"at_least": 0.5}}
std::vector<Condition> readConditions(const JsonField& object) {
  std::vector<Condition> all;
  for (const auto& [name, field] : object.fields()) {
    if (field.value().fields() == nullptr) {
      all.push_back({name, Condition::Is::equal, readFact(field)});
      continue;
    }
    const auto read = [&all, &fact = name](Condition::Is is) {
      return [&all, &fact, is](const JsonField& f) { all.push_back({fact, is, readFact(f)}); };
    };
    readFields(field, {{"is", read(Condition::Is::equal)},
                       {"is_not", read(Condition::Is::unequal)},
                       {"at_least", read(Condition::Is::atLeast)},
                       {"at_most", read(Condition::Is::atMost)}});
  }
  if (all.empty()) object.fail("is empty: give a condition, such as {\"d_k\": 64}");
  return all;
}

/// "a choice", or {"choice": "…", "means": "…"}.
lessons::Choice readChoice(const JsonField& field) {
  if (field.value().text() != nullptr) return {field.text(), {}};
  lessons::Choice choice;
  readFields(field, {{"choice", [&](const JsonField& f) { choice.text = f.text(); }},
                     {"means", [&](const JsonField& f) { choice.means = f.text(); }}});
  if (choice.text.empty()) field.fail("needs a choice");
  return choice;
}

Prediction readPrediction(const JsonField& object) {
  Prediction p;
  readFields(object,
             {{"ask", [&](const JsonField& f) { p.ask = f.text(); }},
              {"choices",
               [&](const JsonField& f) {
                 for (const JsonField& each : f.items()) p.choices.push_back(readChoice(each));
               }},
              {"right", [&](const JsonField& f) { p.right = static_cast<std::size_t>(f.whole()); }},
              {"reveal", [&](const JsonField& f) { p.reveal = f.text(); }},
              {"view", [&](const JsonField& f) { p.view = f.value().dump(); }}});
  if (p.ask.empty() || p.reveal.empty()) object.fail("needs ask, choices, right and reveal");
  if (p.choices.size() < 2 || p.choices.size() > 4) object.fail("needs 2 to 4 choices");
  if (p.right >= p.choices.size()) object.fail("the number 'right' (from 0) is beyond its choices");
  return p;
}

/// The id of a lesson that comes with the program.
std::string lessonNamed(const JsonField& field) {
  const auto all = allAssets();
  const std::string file = fmt::format("lessons/{}{}", field.text(), kLessonEnding);
  if (std::none_of(all.begin(), all.end(), [&](const Asset& each) { return each.name == file; })) {
    field.fail(
        fmt::format("is not a lesson of the program: '{}'; use a name such as \"05_why_divide\"",
                    field.text()));
  }
  return field.text();
}

/// "a text", or a list of texts and of {"that": {…}, "yet": "…"}.
std::vector<lessons::Attempt> readAttempts(const JsonField& field) {
  if (field.value().text() != nullptr) return {{{}, field.text()}};
  std::vector<lessons::Attempt> attempts;
  for (const JsonField& each : field.items()) {
    lessons::Attempt& attempt = attempts.emplace_back();
    if (each.value().text() != nullptr) {
      attempt.says = each.text();
      continue;
    }
    readFields(each, {{"that", [&](const JsonField& f) { attempt.that = readConditions(f); }},
                      {"yet", [&](const JsonField& f) { attempt.says = f.text(); }}});
    if (attempt.that.empty() || attempt.says.empty()) each.fail("needs that and yet");
  }
  return attempts;
}

Check readCheck(const JsonField& object) {
  Check check;
  readFields(object, {{"ask", [&](const JsonField& f) { check.ask = f.text(); }},
                      {"that", [&](const JsonField& f) { check.that = readConditions(f); }},
                      {"hint", [&](const JsonField& f) { check.hint = f.text(); }},
                      {"yet", [&](const JsonField& f) { check.yet = readAttempts(f); }},
                      {"done", [&](const JsonField& f) { check.done = f.text(); }},
                      {"again", [&](const JsonField& f) { check.again = lessonNamed(f); }},
                      {"way", [&](const JsonField& f) { check.way = readWay(f); }}});
  if (check.ask.empty() || check.that.empty() || check.done.empty()) {
    object.fail("needs ask, that and done");
  }
  return check;
}

Scene readScene(const JsonField& object) {
  Scene scene;
  const auto names = [](const JsonField& f) {
    return f.value().text() != nullptr ? std::vector{f.text()} : f.texts();
  };
  readFields(object, {{"title", [&](const JsonField& f) { scene.title = f.text(); }},
                      {"state", [&](const JsonField& f) { scene.state = readState(f); }},
                      {"view", viewInto(scene.view)},
                      {"card", [&](const JsonField& f) { scene.cards = names(f); }},
                      {"field", [&](const JsonField& f) { scene.fields = names(f); }},
                      {"choose", [&](const JsonField& f) { scene.choose = f.text(); }},
                      {"hide_mistake", [&](const JsonField& f) { scene.hidesMistake = f.flag(); }},
                      {"new_run", [&](const JsonField& f) { scene.newRun = f.flag(); }},
                      {"continues", [&](const JsonField& f) { scene.continues = f.flag(); }},
                      {"lit", [&](const JsonField& f) { scene.lit = f.texts(); }},
                      {"model_heads_off",
                       [&](const JsonField& f) { scene.modelHeadsOff = readModelHeads(f); }},
                      {"text", [&](const JsonField& f) { scene.text = f.text(); }},
                      {"speaker", [&](const JsonField& f) { scene.speaker = f.text(); }},
                      {"predict", [&](const JsonField& f) { scene.predict = readPrediction(f); }},
                      {"check", [&](const JsonField& f) { scene.check = readCheck(f); }}});
  if (scene.title.empty() || scene.text.empty()) object.fail("needs a title and a text");
  return scene;
}

/// The name of a model that comes with the program.
std::string shippedName(const JsonField& field) {
  std::string name = field.text();
  if (std::ranges::find(kShippedModels, name) == kShippedModels.end()) {
    field.fail(fmt::format("is not a model of the program: '{}'; use a name such as \"{}\"", name,
                           kShapesModel));
  }
  return name;
}

/// " (line 12)", the line of a byte, counted from 1; nothing for 0.
std::string lineOf(std::string_view text, std::size_t byte) {
  if (byte == 0) return {};
  const std::string_view before = text.substr(0, byte);
  return fmt::format(" (line {})", 1 + std::count(before.begin(), before.end(), '\n'));
}

std::string idOf(std::string_view file) {
  const std::size_t slash = file.rfind('/');
  if (slash != std::string_view::npos) file.remove_prefix(slash + 1);
  return std::string(file.substr(0, file.find('.')));
}

}  // namespace

Lesson parseLesson(std::string_view text, const std::string& file) {
  Lesson lesson;
  lesson.id = idOf(file);
  try {
    const Json json = parseJson(text);
    const JsonField object(json, file);
    readFields(object, {{"title", [&](const JsonField& f) { lesson.title = f.text(); }},
                        {"about", [&](const JsonField& f) { lesson.about = f.text(); }},
                        {"minutes", [&](const JsonField& f) { lesson.minutes = f.wholeOf<int>(); }},
                        {"path", [&](const JsonField& f) { lesson.path = f.text(); }},
                        {"picture", [&](const JsonField& f) { lesson.picture = f.text(); }},
                        {"model", [&](const JsonField& f) { lesson.model = shippedName(f); }},
                        {"quiz", [&](const JsonField& f) { lesson.isQuiz = f.flag(); }},
                        {"scenes", [&](const JsonField& f) {
                           for (const JsonField& scene : f.items()) {
                             lesson.scenes.push_back(readScene(scene));
                           }
                         }}});
    if (lesson.title.empty() || lesson.scenes.empty()) {
      object.fail("a lesson needs a title and scenes");
    }
  } catch (const JsonError& error) {
    throw FileError(fmt::format("{}: {}{}", file, error.what(), lineOf(text, error.byte)));
  }
  return lesson;
}

const std::vector<Lesson>& shippedLessons() {
  static const std::vector<Lesson> lessons = [] {
    std::vector<Lesson> all;
    for (const Asset& each : allAssets()) {
      if (!each.name.starts_with("lessons/") || !each.name.ends_with(kLessonEnding)) continue;
      all.push_back(parseLesson(each.data, std::string(each.name)));
    }
    return all;
  }();
  return lessons;
}

bool isLesson(std::string_view path) { return path.ends_with(kLessonEnding); }

}  // namespace headscope::formats
