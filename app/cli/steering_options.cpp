#include "app/cli/steering_options.h"

#include <fmt/format.h>

#include <vector>

#include "app/cli/config_options.h"
#include "app/cli/model_readings.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/formats/direction_file.h"
#include "core/model/tokenized.h"

namespace headscope::cli {
namespace {

using Direction = std::vector<float>;

/// The place of --steer-layer among the layers of a stack.
Index steeredLayer(const SteeringOptions& o, const model::ModelConfig& c) {
  return c.crossAttention ? 2 * *o.layer : *o.layer;
}

/// The head of --steer-head, whose own flags say of which stack it is.
HeadOfLayer steeredHead(const SteeringOptions& o, const model::ModelConfig& c) {
  constexpr std::string_view kEncoder = "encoder:";
  const bool ofEncoder = o.head.starts_with(kEncoder);
  if (ofEncoder && !o.inEncoder && c.crossAttention) {
    throw UserError(
        fmt::format("--steer-head {} is a head of the encoder: give --steer-encoder too", o.head));
  }
  if (o.inEncoder && !ofEncoder && o.head.find(':') != std::string::npos) {
    throw UserError(
        fmt::format("--steer-head {}: with --steer-encoder it is a head of the encoder: give "
                    "encoder:0.3 or 0.3",
                    o.head));
  }
  return headFrom("--steer-head", ofEncoder ? o.head.substr(kEncoder.size()) : o.head, c);
}

/// The direction that a text gives: the stream that enters the layer, or what the head adds.
Direction directionOf(const SteeringOptions& o, const model::ModelDocument& document,
                      const char* flag, const std::string& text,
                      const tokenizer::Tokenizer& tokenizer, const ExecutionContext& execution) {
  const model::ModelConfig& config = document.model->config();
  const auto tokens = tokenizer.encode(text, true, flag);
  auto input = config.crossAttention ? targetOf(tokens, tokenizer, *document.model)
                                     : inputOf(tokens, tokenizer, config);
  const auto trace = runModel(withInput(document, std::move(input)), nullptr, execution,
                              defaultMemoryBudget() / 4);
  const Index place = o.at.value_or(trace->tokens() - 1);
  if (place >= trace->tokens()) {
    throw UserError(fmt::format("--steer-at {}: the text of {} has the tokens 0 to {}", place, flag,
                                trace->tokens() - 1));
  }
  return o.head.empty() ? streamAt(*trace, steeredLayer(o, config), place)
                        : headAdditionAt(*trace, steeredHead(o, config), place);
}

}  // namespace

void addSteeringFlags(CLI::App& app, SteeringOptions& o) {
  auto* layer = app.add_option("--steer-layer", o.layer,
                               "add a direction to the residual stream that enters this layer, "
                               "from 0, at every token of the text and of what is generated")
                    ->check(notWhole)
                    ->type_name("L");
  auto* from = app.add_option("--steer-from", o.from,
                              "the direction: the stream that enters the layer at the last token "
                              "of this text")
                   ->needs(layer)
                   ->type_name("TEXT");
  app.add_option("--steer-against", o.against, "minus that of this text")
      ->needs(from)
      ->type_name("TEXT");
  app.add_option("--steer-head", o.head, "what this head adds there, in the place of the stream")
      ->needs(from)
      ->check(notEmpty)
      ->type_name("L.H");
  app.add_option("--steer-at", o.at, "another token of these texts, from 0")
      ->needs(from)
      ->check(notWhole)
      ->type_name("K");
  app.add_option("--steer-file", o.file,
                 "the direction: a tensor of d_model numbers, .npy or .safetensors[:NAME]")
      ->needs(layer)
      ->excludes(from)
      ->check(notEmpty)
      ->type_name("FILE");
  app.add_option("--steer-strength", o.strength, "the direction is multiplied by it (1)")
      ->needs(layer)
      ->type_name("X");
  app.add_flag("--steer-encoder", o.inEncoder,
               "steer the encoder of a model with two stacks, not the decoder; the texts are then "
               "sources")
      ->needs(layer);
  app.add_option("--steer-place", o.place, "add it at this token of the text alone, from 0")
      ->needs(layer)
      ->check(notWhole)
      ->type_name("K");
}

model::Steering steeringFrom(const SteeringOptions& o, const model::ModelDocument& document,
                             const tokenizer::Tokenizer* tokenizer,
                             const ExecutionContext& execution) {
  if (!o.from && o.file.empty()) {
    throw UserError("--steer-layer needs a direction: give --steer-from TEXT or --steer-file FILE");
  }
  const Index layers = document.model->config().depth();
  if (*o.layer >= layers) {
    throw UserError(fmt::format("--steer-layer {}: {} has the layers 0 to {}", *o.layer,
                                document.model->name(), layers - 1));
  }
  Direction direction, from;
  if (o.from && tokenizer == nullptr) {
    throw UserError("--steer-from: the folder has no tokenizer: give --steer-file");
  }
  if (o.from) {
    direction = directionOf(o, document, "--steer-from", *o.from, *tokenizer, execution);
  } else {
    direction = formats::readDirection(o.file);
  }
  if (o.against) {
    from = directionOf(o, document, "--steer-against", *o.against, *tokenizer, execution);
  }
  return {steeredLayer(o, document.model->config()), o.place.value_or(model::Steering::kEveryPlace),
          model::addition(o.strength, direction, from)};
}

Json steeringJson(const SteeringOptions& options, const model::Steering& steering) {
  Json json{{"layer", *options.layer},
            {"place", options.place ? Json(*options.place) : Json()},
            {"strength", options.strength},
            {"length", model::lengthOf(steering.addition)}};
  if (options.inEncoder) json["stack"] = "encoder";
  return json;
}

}  // namespace headscope::cli
