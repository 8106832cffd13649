#include "app/ui/model/model_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "app/model_moment.h"
#include "core/base/numbers.h"
#include "core/base/translation.h"
#include "core/formats/attention_file.h"
#include "core/model/model.h"
#include "core/model/model_notes.h"

namespace headscope::ui {

using model::ModelConfig;

namespace {

std::string readsInWords(const ModelConfig& c) {
  if (!c.image.on()) return trFormat("{} tokens known", withThousands(c.vocabulary));
  return trFormat("images of {} × {}, patches of {} × {}", c.image.size.width, c.image.size.height,
                  c.image.patch.width, c.image.patch.height);
}

}  // namespace

ModelNouns nounsOf(const ModelMoment& moment) {
  return moment.first().ofImage() ? ModelNouns{tr("picture"), tr("label")}
                                  : ModelNouns{tr("text"), tr("word")};
}

bool isAttentionAlone(const model::Model& model) {
  return model.config().modelType == formats::kAttentionsAlone;
}

std::string modelInWords(const model::Model& model) {
  const ModelConfig& c = model.config();
  const auto layers = [](const ModelConfig& stack) {
    return counted(stack.depth(), tr("{} layer"), tr("{} layers"));
  };
  if (isAttentionAlone(model)) {
    const auto* keys = model.encoder().get();
    return trFormat("attention weights from a file · {} · {} · {}{} tokens", layers(c),
                    counted(c.heads, tr("{} head"), tr("{} heads")), withThousands(c.positions),
                    keys != nullptr ? " × " + withThousands(keys->config().positions) : "");
  }
  if (model.encoder() != nullptr) {
    const ModelConfig& e = model.encoder()->config();
    return trFormat("{} · encoder: {}, {} heads · decoder: {}, {} heads · d_model {} · {}",
                    c.typeName(), layers(e), e.heads, layers(c), c.heads, c.dModel,
                    readsInWords(c));
  }
  return trFormat("{} · {} · d_model {} · {} heads{} of {} · {}", c.typeName(), layers(c), c.dModel,
                  c.heads,
                  c.kvHeads == c.heads ? "" : trFormat(" on {} key/value heads", c.kvHeads),
                  c.headDim, readsInWords(c));
}

std::string notesInWords(const model::ModelNotes& notes) {
  std::vector<std::string> words;
  const auto add = [&](const auto& list, const char* one, const char* several) {
    if (!list.empty()) words.push_back(counted(std::ssize(list), one, several));
  };
  add(notes.unknownFields, tr("{} unknown field"), tr("{} unknown fields"));
  add(notes.unusedTensors, tr("{} unused tensor"), tr("{} unused tensors"));
  add(notes.files, tr("{} note on files"), tr("{} notes on files"));
  return fmt::format("{}", fmt::join(words, " · "));
}

std::string writtenInWords(const ModelMoment& moment) {
  const std::vector<Index>& never = moment.config().target.never;
  const std::vector<Index>& ids = moment.trace->document().input.ids;
  std::vector<std::string> rules;
  const auto mayStand = [&](const model::TokenProbability& each) {
    return std::ranges::find(never, each.id) == never.end();
  };
  for (std::size_t row = 0; row < moment.predictions.size() && row + 1 < ids.size(); ++row) {
    const auto& predicted = moment.predictions[row];
    const Index best = predicted.front().id, next = ids[row + 1];
    if (best == next) continue;
    const auto allowed = std::ranges::find_if(predicted, mayStand);
    const bool forced = allowed != predicted.end() && allowed->id != next;
    std::string rule = forced ? trFormat("“{}” is forced", moment.nameOf(next))
                              : trFormat("“{}” is barred", moment.nameOf(best));
    if (std::ranges::find(rules, rule) == rules.end()) rules.push_back(std::move(rule));
  }
  if (rules.empty()) return tr("the most probable token each time");
  return trFormat("the most probable token each time, but {}", fmt::join(rules, ", "));
}

}  // namespace headscope::ui
