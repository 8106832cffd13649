#include "core/language/story_answers.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "core/language/language_pass.h"

namespace headscope::language {
namespace {

bool rightAnswer(std::span<const float> logits, const StoryCase& asked) {
  const auto at = [&](std::int32_t token) { return logits[static_cast<std::size_t>(token)]; };
  if (asked.wrong) return at(asked.right) > at(*asked.wrong);
  return std::ranges::max_element(logits) - logits.begin() == asked.right;
}

}  // namespace

AnsweredQuestion answeredWith(double right, std::vector<double> looks, Index heads) {
  const auto most = std::ranges::max_element(looks) - looks.begin();
  const double look = looks[static_cast<std::size_t>(most)];
  return {right, {most / heads, most % heads}, look, std::move(looks)};
}

std::optional<AnsweredQuestion> answersTo(const LanguageModel& model, std::size_t question,
                                          const ExecutionContext& execution,
                                          std::optional<HeadOfLayer> off) {
  const std::vector<StoryCase> cases = storyCases(question, kStoryCases);
  std::map<Index, std::vector<const StoryCase*>> byLength;
  for (const StoryCase& each : cases) byLength[std::ssize(each.tokens)].push_back(&each);
  const Index heads = model.settings().heads;
  std::vector<double> looks(static_cast<std::size_t>(model.settings().layers * heads));
  Index right = 0;
  for (const auto& [length, group] : byLength) {
    Texts texts{std::ssize(group), length, {}};
    for (const StoryCase* each : group) {
      texts.tokens.insert(texts.tokens.end(), each->tokens.begin(), each->tokens.end());
    }
    LanguagePass pass(model, texts);
    if (off) pass.switchOff(*off);
    if (!pass.forward(execution)) return std::nullopt;
    for (Index text = 0; text < texts.count; ++text) {
      const StoryCase& each = *group[static_cast<std::size_t>(text)];
      right += rightAnswer(pass.logits().matrix({text}).row(length - 1), each) ? 1 : 0;
      for (std::size_t h = 0; h < looks.size(); ++h) {
        const auto head = static_cast<Index>(h);
        looks[h] += static_cast<double>(
            pass.weights(head / heads).at({text, head % heads, length - 1, each.decides}));
      }
    }
  }
  const auto asked = static_cast<double>(cases.size());
  for (double& look : looks) look /= asked;
  return answeredWith(static_cast<double>(right) / asked, std::move(looks), heads);
}

std::optional<std::vector<double>> rightWithoutEach(const LanguageModel& model,
                                                    std::size_t question,
                                                    const ExecutionContext& execution) {
  std::vector<double> right;
  for (Index layer = 0; layer < model.settings().layers; ++layer) {
    for (Index head = 0; head < model.settings().heads; ++head) {
      const auto answered = answersTo(model, question, execution, HeadOfLayer{layer, head});
      if (!answered) return std::nullopt;
      right.push_back(answered->right);
    }
  }
  return right;
}

}  // namespace headscope::language
