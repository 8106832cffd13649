// Learned relations: a layer that is taken from a run keeps the relations of its heads, in sessions
// and through edits, until its weights are others.
#include <gtest/gtest.h>

#include "core/attention/config.h"
#include "core/document/document.h"
#include "core/formats/session.h"
#include "core/training/relations.h"
#include "core/training/roles.h"
#include "core/training/task_pass.h"
#include "tests/core/support/documents.h"
#include "tests/core/support/small_tasks.h"

namespace headscope::test {
namespace {

using namespace training;
using Partners = std::vector<std::vector<Index>>;

/// A layer of two heads on six places. The first attends to the place before, the second hardly.
DocumentPtr takenFromARun() {
  static const Task task = namesPrevious();
  const TaskModel model(task, task.settings.model, 1);
  Draws draws(1, "examples");
  const Examples examples = task.examples(3, draws);
  TaskPass pass(model, examples);
  EXPECT_TRUE(pass.forward({}));
  Roles roles;
  roles.layers.emplace_back().mass = {{0.9}, {0.3}};
  return documentOf(pass, model, 0, 2, &roles, kBudget);
}

std::vector<LearnedRelation> learnedIn(const DocumentPtr& document) {
  return std::get<TensorSource>(*document->source).relations;
}

TEST(LearnedRelations, AreThoseOfHeadsInWhichOneIsFound) {
  const DeclaredRelations relations = declaredRelations(*takenFromARun());
  ASSERT_EQ(relations.size(), 2U);
  ASSERT_TRUE(relations[0]);
  EXPECT_EQ(relations[0]->name, "previous");
  EXPECT_EQ(relations[0]->origin, DeclaredRelation::Origin::learned);
  EXPECT_EQ(relations[0]->partners, (std::vector<Partners>{{{}, {0}, {1}, {2}, {3}, {4}}}));
  EXPECT_FALSE(relations[1]);
}

TEST(LearnedRelations, FollowATokenThatMoves) {
  const DocumentPtr moved = edited(takenFromARun(), MoveToken{0, false, 0, 2});
  const DocumentPtr seen = edited(moved, SetMask{});  // the causal mask hides what comes later
  EXPECT_EQ(declaredRelations(*seen)[0]->partners,
            (std::vector<Partners>{{{2}, {0}, {}, {1}, {3}, {4}}}));
  const DocumentPtr back = edited(moved, MoveToken{0, false, 2, 0});
  EXPECT_EQ(learnedIn(back), learnedIn(takenFromARun()));
}

TEST(LearnedRelations, AreHiddenWhereTheMaskForbidsThem) {
  Mask self;
  self.causal = true;
  self.window = 1;
  const DeclaredRelations relations = declaredRelations(*edited(takenFromARun(), SetMask{self}));
  EXPECT_TRUE(relations[0]->hiddenByMask);
}

TEST(LearnedRelations, BelongToTheWeightsThatCameWithThem) {
  const DocumentPtr drawn = edited(takenFromARun(), DrawWeights{WeightInit::normal, 1});
  EXPECT_TRUE(declaredRelations(*drawn).empty());
  const DocumentPtr before = takenFromARun();
  const DocumentPtr others = edited(
      before, SetWeights{"other.safetensors", randomWeights(before->config, 1), false, 2, 2});
  EXPECT_TRUE(declaredRelations(*others).empty());
}

TEST(LearnedRelations, AreKeptInSessions) {
  const TempFolder folder;
  const auto path = folder / "run.headscope.json";
  const DocumentPtr document = takenFromARun();
  formats::saveSession(path, {document, "{}", {}, {}});
  EXPECT_EQ(learnedIn(formats::loadSession(path, kBudget).document), learnedIn(document));
}

TEST(LearnedRelations, AFileThatNamesAPlaceBeyondTheTextIsRefused) {
  const TempFolder folder;
  const auto path = folder / "run.headscope.json";
  formats::saveSession(path, {takenFromARun(), "{}", {}, {}});
  std::string text = readAll(path);
  const std::size_t at = text.find("\"partners\"");
  ASSERT_NE(at, std::string::npos);
  text[text.find('4', at)] = '6';
  folder.file("run.headscope.json", text);
  expectUserError([&] { formats::loadSession(path, kBudget); },
                  "document.source.relations[0].partners[5] must have places below 6");
}

}  // namespace
}  // namespace headscope::test
