// Lesson: a list of scenes, each a state of the program with something to read in it, to predict or
// to do. A lesson is data: files like those in assets/lessons/, which a teacher can write as well
// (assets/lessons/README.md says how).
//
// Nothing in a lesson is a typed number: texts read theirs from the pass (facts.h), and what is to
// be done is judged by it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/document/document.h"
#include "core/editing/edit.h"
#include "core/lessons/facts.h"

namespace headscope::lessons {

/// What a scene changes of the document. With a preset or an example it begins anew from there;
/// else from what there is, the user's own sentence too.
struct SceneState {
  std::string preset, example;
  std::optional<WeightInit> init;
  std::uint64_t seed = 1;
  std::vector<Edit> edits;                          // in this order …
  std::optional<Index> dModel, heads, kvHeads, dK;  // … after the sizes, which go together
  std::optional<bool> causal;
  std::optional<Index> window;
  std::optional<std::vector<Index>> lengths;

  bool changesNothing() const;
};

/// The document of such a state. Throws UserError where it cannot be.
DocumentPtr documentOf(const SceneState& state, const Document& now, Index memoryBudgetBytes);

/// A question to be answered before the answer is shown.
struct Prediction {
  std::string ask;
  std::vector<std::string> choices;  // 2 to 4
  std::size_t right = 0;
  std::string reveal;  // why: with numbers of the pass
};

/// What does a task, for who does not find it.
struct Way {
  SceneState state;
  std::string view, choose;  // as of a scene
  std::string trainStep;     // the training run is shown at that step: a number, or a fact's name
  bool isNone() const;
};

/// Something to do in the live window, and how it is seen that it is done.
struct Check {
  std::string ask;
  std::vector<Condition> that;  // all of them
  std::string hint;
  std::string yet;    // how it stands while it is not done, in numbers of the pass; may be empty
  std::string done;   // what is said then
  std::string again;  // the id of the lesson that tells more
  Way way;
};

struct Scene {
  std::string title;
  SceneState state;
  std::string view;              // a JSON object of the application's own: where the eye goes
  std::string card;              // the card of the page that is to be in sight; empty: its top
  std::string choose;            // the cell that is chosen: "weights[0, 1, sat, cat]"
  std::vector<std::string> lit;  // cells that are lit, likewise
  std::string text;
  std::string speaker;        // for who gives a lecture
  bool hidesMistake = false;  // that a common mistake is on is not said until the task is done
  bool newRun = false;        // training stands at its start, whatever was trained before
  std::optional<Prediction> predict;
  std::optional<Check> check;
};

struct Lesson {
  std::string id;  // its file's name without ".json"
  std::string title;
  std::string about;  // one sentence
  int minutes = 5;
  bool isQuiz = false;  // its scenes are questions, and how many one answered is its score
  std::vector<Scene> scenes;
};

}  // namespace headscope::lessons
