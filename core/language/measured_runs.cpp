#include "core/language/measured_runs.h"

#include <algorithm>
#include <stdexcept>

#include "core/base/asset_json.h"
#include "core/base/assets.h"

namespace headscope::language {
namespace {

HeadOfLayer headFrom(const JsonField& field) {
  const auto items = field.items();
  return {items.at(0).whole(), items.at(1).whole()};
}

MeasuredRun::Question questionFrom(const JsonField& field) {
  MeasuredRun::Question question;
  for (const JsonField& share : field.at("right").items()) {
    question.right.push_back(share.number());
  }
  question.looks = headFrom(field.at("looks"));
  question.look = field.at("look").number();
  question.rightWithoutIt = field.at("right_without_it").number();
  if (const auto missed = field.find("most_missed")) {
    question.mostMissed = headFrom(*missed);
    question.rightWithoutMostMissed = field.at("right_without_most_missed").number();
  }
  return question;
}

MeasuredRun runFrom(const JsonField& field) {
  MeasuredRun run;
  run.layers = field.at("layers").whole();
  run.dModel = field.at("d_model").whole();
  run.heads = field.at("heads").whole();
  run.networks = field.at("networks").flag();
  run.seed = field.at("seed").seed();
  run.parameters = field.at("parameters").whole();
  run.heldOutLoss = field.at("held_out_loss").number();
  for (const JsonField& step : field.at("steps").items()) run.steps.push_back(step.whole());
  for (const JsonField& of : field.at("questions").items()) {
    const auto& all = storyQuestions();
    const auto found = std::ranges::find(all, of.at("name").text(), &StoryQuestion::name);
    if (found == all.end()) of.at("name").fail("is no question about stories");
    run.questions[static_cast<std::size_t>(found - all.begin())] = questionFrom(of);
  }
  return run;
}

}  // namespace

std::optional<Index> MeasuredRun::answeredAt(std::size_t question) const {
  const std::vector<double>& right = questions[question].right;
  const double solved = storyQuestions()[question].solved;
  const auto first = std::ranges::find_if(right, [=](double share) { return share >= solved; });
  if (first == right.end()) return std::nullopt;
  return steps[static_cast<std::size_t>(first - right.begin())];
}

bool MeasuredRun::sameModel(const MeasuredRun& other) const {
  return layers == other.layers && dModel == other.dModel && heads == other.heads &&
         networks == other.networks;
}

const std::vector<MeasuredRun>& measuredRuns() {
  static const std::vector<MeasuredRun> runs = readAsset<std::logic_error>(
      asset("story_runs.json"), "story_runs.json", [](const JsonField& file) {
        std::vector<MeasuredRun> all;
        for (const JsonField& run : file.items()) all.push_back(runFrom(run));
        return all;
      });
  return runs;
}

}  // namespace headscope::language
