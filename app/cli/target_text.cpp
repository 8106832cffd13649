#include "app/cli/target_text.h"

#include <fmt/format.h>

#include <utility>

#include "app/cli/config_options.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/formats/attention_file.h"
#include "core/model/tokenized.h"

namespace headscope::cli {

void addTargetFlags(CLI::App& app, TargetOptions& options, const std::string& group) {
  auto* text = app.add_option("--target", options.text,
                              "the target text of an encoder–decoder model; absent: the model "
                              "writes it, the most probable token each time but where it "
                              "forces or bars one")
                   ->type_name("TEXT");
  auto* ids = app.add_option("--decoder-ids", options.ids,
                             "ids of the target's tokens, from its start token on: 0,1,2")
                  ->delimiter(',')
                  ->check(notWhole)
                  ->excludes(text)
                  ->type_name("N,N…");
  if (group.empty()) return;
  text->group(group);
  ids->group(group);
}

model::ModelDocumentPtr emptyTarget(const model::ModelPtr& model, model::ModelTracePtr memory) {
  if (model->config().modelType == formats::kAttentionsAlone) {
    throw UserError(
        fmt::format("{} is cross-attention of a file, without stacks that could be run: open the "
                    "file in the window, which shows it",
                    model->name()));
  }
  return makeModelDocument(model, {{startToken(*model)}, {}, {}}, std::move(memory));
}

Target targetOf(const TargetOptions& options, OpenModels& models, const std::string& folder,
                const model::ModelDocumentPtr& empty, const Writing& writing,
                const ExecutionContext& execution) {
  if (options.text) {
    const auto tokenizer = models.targetTokenizer(folder);
    return {targetOf(tokenizer->encode(*options.text, true, "--target"), *tokenizer, *empty->model),
            {}};
  }
  Target target;
  std::vector<Index>& ids = target.input.ids;
  if (options.ids.empty()) {
    ids = empty->input.ids;
    const auto begun = runModel(empty, nullptr, execution, defaultMemoryBudget() / 4);
    target.generated = continued(begun, writing, execution);
    for (const auto& each : target.generated->tokens) ids.push_back(each.id);
  } else {
    ids = options.ids;
  }
  if (const auto names = models.targetNames(folder)) {
    target.input.tokens = model::namesOf(ids, *names);
  }
  return target;
}

void refuseTarget(const TargetOptions& options, const model::Model& model) {
  if (!options.given() || model.encoder() != nullptr) return;
  throw UserError(fmt::format(
      "--target and --decoder-ids are for a model with an encoder and a decoder, and {} "
      "has one stack: leave them out",
      model.name()));
}

model::ModelDocumentPtr documentWithTarget(const TargetOptions& options, OpenModels& models,
                                           const std::string& folder, const model::ModelPtr& model,
                                           model::ModelInput source,
                                           const ExecutionContext& execution) {
  const auto memory = runModel(makeModelDocument(model->encoder(), std::move(source)), nullptr,
                               execution, defaultMemoryBudget() / 4);
  const auto empty = emptyTarget(model, memory);
  Target target = targetOf(options, models, folder, empty, {}, execution);
  if (target.generated && target.generated->ended) {
    target.input.ids.pop_back();
    if (!target.input.tokens.empty()) target.input.tokens.pop_back();
  }
  return withInput(*empty, std::move(target.input));
}

}  // namespace headscope::cli
