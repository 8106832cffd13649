// Model image: what the model command says about an image: its patches, where heads look on their
// grid, and its match with texts.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "app/cli/model_text.h"
#include "core/analysis/head_metrics.h"
#include "core/formats/model_tensors.h"
#include "core/model/match_parts.h"

namespace headscope::cli {

/// {"height","width","patch_height","patch_width","rows","columns","first_patch"}, in pixels and
/// patches; the last is the place of the first patch among the tokens.
Json imageJson(const model::ModelTrace& trace);

/// Prints the metrics of all heads on the grid of patches, `perLayer` heads in each layer, and
/// their weight on the shape of a drawing; `onShape` may be empty.
void printPatchMeasures(std::ostream& out, const std::vector<HeadMetrics>& heads,
                        std::size_t perLayer, const std::vector<double>& onShape);

/// An image and the texts that a CLIP compares it with.
struct TextMatch {
  std::vector<std::string> texts;
  model::Match match;
  model::ModelPtr encoderOfTexts;
  std::vector<model::MatchParts> parts;  // of each text; empty without
};

/// Matches an image with each line of the text options; without a text, the image alone.
/// `withParts`: also what each part of both encoders adds. Throws UserError.
TextMatch textMatch(const model::ModelTrace& image, const std::string& folder,
                    const ModelTextOptions& text, OpenModels& models, Index budgetBytes,
                    bool withParts);
/// [{"text","cosine","logit","p","image_parts","text_parts"}], in the order of the texts; `image`:
/// the configuration of the encoder of images.
Json matchJson(const TextMatch& match, const model::ModelConfig& image);
/// Prints the texts, the most probable first, and what adds most to its match.
void printMatch(std::ostream& out, const TextMatch& match, const model::ModelConfig& image);
/// image_embeds (P), and of texts text_embeds (N,P) and logits_per_image (N), as transformers names
/// them.
std::vector<NamedTensor> matchTensors(const TextMatch& match);

}  // namespace headscope::cli
