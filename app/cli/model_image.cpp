#include "app/cli/model_image.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "app/cli/head_json.h"
#include "app/cli/model_readings.h"
#include "app/cli/output.h"
#include "core/base/error.h"
#include "core/formats/clip_folder.h"
#include "core/model/image_embedding.h"

namespace headscope::cli {

Json imageJson(const model::ModelTrace& trace) {
  const model::ImageInput& image = trace.config().image;
  const model::Extent size = model::extentOf(*trace.document().input.pixels);
  const model::Extent grid = image.gridOf(size);
  return {{"height", size.height},
          {"width", size.width},
          {"patch_height", image.patch.height},
          {"patch_width", image.patch.width},
          {"rows", grid.height},
          {"columns", grid.width},
          {"first_patch", image.firstPatch()}};
}

void printPatchMeasures(std::ostream& out, const std::vector<HeadMetrics>& heads,
                        std::size_t perLayer, const std::vector<double>& onShape) {
  out << "where on the grid of patches all heads look: distance in patches, and the weight on the "
         "eight neighbours, on the same row and on the same column";
  std::vector<std::string> titles{"layer",      "head",     "distance",
                                  "neighbours", "same row", "same column"};
  if (!onShape.empty()) {
    out << "; and the class token's weight on the drawn shape";
    titles.emplace_back("on the shape");
  }
  out << '\n';
  std::vector<Align> columns(titles.size(), Align::right);
  columns[0] = columns[1] = Align::left;
  TextTable table(columns);
  table.add(titles);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    std::vector<std::string> cells{std::to_string(i / perLayer + 1),
                                   std::to_string(i % perLayer + 1)};
    for (const MetricInfo& m : allMetrics()) {
      if (m.needs != MetricNeeds::grid) continue;
      const MetricValue& value = heads[i][m.metric];
      cells.push_back(value ? fmt::format("{:.3f}", *value) : std::string("–"));
    }
    if (!onShape.empty()) cells.push_back(fmt::format("{:.3f}", onShape[i]));
    table.add(std::move(cells));
  }
  table.print(out);
}

TextMatch textMatch(const model::ModelTrace& image, const std::string& folder,
                    const ModelTextOptions& text, OpenModels& models, Index budgetBytes,
                    bool withParts) {
  const model::TwoEncoders both = formats::openClip(folder, budgetBytes);
  TextMatch found;
  std::vector<model::ModelTracePtr> passes;
  if (text.given() > 0) {
    if (!text.pair.empty()) throw UserError("--pair: an image is matched with the lines of --text");
    const auto tokenizer = models.tokenizer(folder);
    found.texts =
        model::linesToMatch(text.texts.empty() ? tokenized(text, *tokenizer).texts.front()
                                               : fmt::format("{}", fmt::join(text.texts, "\n")));
    if (found.texts.empty())
      throw UserError("there is no text to match: give --text, once for each text");
    for (const std::string& line : found.texts) {
      auto input =
          inputOf(tokenizer->encode(line, true, "--text"), *tokenizer, both.texts->config());
      passes.push_back(
          runModel(makeModelDocument(both.texts, std::move(input)), nullptr, {}, budgetBytes));
    }
  }
  found.match = matchOf(both, image, passes);
  found.encoderOfTexts = both.texts;
  for (std::size_t i = 0; withParts && i < passes.size(); ++i) {
    found.parts.push_back(matchParts(both, image, *passes[i], {}).value());
  }
  return found;
}

Json matchJson(const TextMatch& match, const model::ModelConfig& image) {
  Json texts = Json::emptyList();
  for (std::size_t i = 0; i < match.texts.size(); ++i) {
    Json text{{"text", match.texts[i]},
              {"cosine", numberJson(match.match.cosines[i])},
              {"logit", numberJson(match.match.logits[i])},
              {"p", numberJson(match.match.probabilities[i])}};
    if (!match.parts.empty()) {
      text["image_parts"] = partsJson(match.parts[i].image, image);
      text["text_parts"] = partsJson(match.parts[i].text, match.encoderOfTexts->config());
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

void printMatch(std::ostream& out, const TextMatch& match, const model::ModelConfig& image) {
  if (match.texts.empty()) {
    out << "give --text, once for each text, to match this image with texts\n";
    return;
  }
  out << "the match of the image with each text: cosine, and probability among these texts\n";
  std::vector<std::size_t> order(match.texts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return match.match.logits[a] > match.match.logits[b];
  });
  TextTable table({Align::left, Align::right, Align::right});
  table.add({"text", "cosine", "p"});
  for (const std::size_t i : order) {
    table.add({match.texts[i], fmt::format("{:.4f}", match.match.cosines[i]),
               fmt::format("{:.3f}", match.match.probabilities[i])});
  }
  table.print(out);
  if (match.parts.empty()) return;
  const std::size_t best = order.front();
  constexpr std::size_t kShown = 8;
  const auto printHalf = [&](const char* half, const std::vector<model::WrittenPart>& parts,
                             const model::ModelConfig& config) {
    out << fmt::format(
        "\nwhat the encoder of {} adds directly to the cosine of “{}”: {}{} parts, whose sum it "
        "is\n",
        half, match.texts[best],
        parts.size() > kShown ? fmt::format("the {} largest of ", kShown) : "", parts.size());
    printLargestParts(out, parts, config, kShown);
  };
  printHalf("images", match.parts[best].image, image);
  printHalf("texts", match.parts[best].text, match.encoderOfTexts->config());
}

std::vector<NamedTensor> matchTensors(const TextMatch& match) {
  std::vector<NamedTensor> tensors{{"image_embeds", match.match.image}};
  if (match.texts.empty()) return tensors;
  tensors.push_back({"text_embeds", match.match.texts});
  const std::vector<float> logits(match.match.logits.begin(), match.match.logits.end());
  tensors.push_back({"logits_per_image", Tensor::fromValues({std::ssize(logits)}, logits)});
  return tensors;
}

}  // namespace headscope::cli
