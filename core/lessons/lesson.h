// Lesson: a list of scenes, each a state of the program with a text, a prediction or an exercise. A
// lesson is data: a file like those in assets/lessons/, which teachers can write too
// (assets/lessons/README.md).
//
// No number in a lesson is typed: texts take their numbers from the pass (facts.h), and exercises
// are checked by it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/attention/places.h"
#include "core/document/fwd.h"
#include "core/editing/edit.h"
#include "core/lessons/facts.h"

namespace headscope::lessons {

/// The changes that a scene makes to the document. A preset or an example replaces the document
/// first; otherwise the changes apply to the given one.
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
  /// Returns whether a preset or an example replaces the document.
  bool opens() const { return !preset.empty() || !example.empty(); }
};

/// The document after these changes. Throws UserError where they are impossible.
DocumentPtr documentOf(const SceneState& state, const Document& now, Index memoryBudgetBytes);

/// An answer to choose.
struct Choice {
  std::string text;
  std::string means;  // what follows for who chooses it, where it is wrong; may be empty
};

/// A question to be answered before the answer is shown.
struct Prediction {
  std::string ask;
  std::vector<Choice> choices;  // 2 to 4
  std::size_t right = 0;
  std::string reveal;  // why: with numbers of the pass
  std::string view;    // changes the view when the answer is shown, as a scene's
};

/// A solution of an exercise, for users who do not find one.
struct Way {
  SceneState state;
  std::string view, choose;  // as in a scene
  std::string card;          // the card that it opens, in sight and lit; empty: the scene's cards
  std::string trainStep;     // the training run is shown at that step: a number, or a fact's name
  std::string control;       // the text on the control that does it, to be pointed at: "causal"
  std::optional<std::vector<HeadOfLayer>> modelHeadsOff;  // of the lesson's model
  bool isNone() const;
};

/// A text for an exercise that is not done, shown while its conditions hold. It says what the
/// reader has made of the exercise so far, and what that means.
struct Attempt {
  std::vector<Condition> that;  // all of them; empty: always
  std::string says;             // in numbers of the pass
};

/// An exercise in the live window, and the conditions that show its completion.
struct Check {
  std::string ask;
  std::vector<Condition> that;  // all of them
  std::string hint;
  std::vector<Attempt> yet;  // the first that holds and whose facts are known is said
  std::string done;          // the text after completion
  std::string again;         // the id of the lesson with more about it
  Way way;
};

struct Scene {
  std::string title;
  SceneState state;
  std::string view;                 // a JSON object of the application's own: where the eye goes
  std::vector<std::string> cards;   // the cards that the text speaks of, lit; the first is in sight
  std::vector<std::string> fields;  // the fields of the top bar that it speaks of, lit: "d_model"
  std::string choose;               // the cell that is chosen: "weights[0, 1, sat, cat]"
  std::vector<std::string> lit;     // the highlighted cells, likewise
  std::string text;
  std::vector<HeadOfLayer> modelHeadsOff;  // the heads of the lesson's model that are off
  std::string speaker;                     // notes for the lecturer
  bool hidesMistake = false;  // an active mistake is not reported until the exercise is done
  bool newRun = false;        // training is reset to its start
  bool continues = false;     // keeps what the reader changed in the scene before
  std::optional<Prediction> predict;
  std::optional<Check> check;
};

struct Lesson {
  std::string id;  // its file's name without ".json"
  std::string title;
  std::string about;  // one sentence
  int minutes = 5;
  std::string path;     // the way of learning that it belongs to: "ten minutes"
  std::string picture;  // its drawing in the list of lessons
  std::string model;    // a whole model that the page Model shows: "headscope:shapes"; may be empty
  bool isQuiz = false;  // its scenes are questions, whose answers are counted
  std::vector<Scene> scenes;
};

}  // namespace headscope::lessons
