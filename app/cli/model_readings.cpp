#include "app/cli/model_readings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/cli/config_options.h"
#include "app/cli/output.h"
#include "core/base/error.h"
#include "core/base/memory_budget.h"
#include "core/base/numbers.h"
#include "core/document/trace.h"
#include "core/formats/model_tensors.h"
#include "core/formats/writer_json.h"
#include "core/model/head_output.h"
#include "core/model/logit_lens.h"
#include "core/model/logit_parts.h"
#include "core/model/tokenized.h"

namespace headscope::cli {
namespace {
using model::WrittenPart;

Index wordFrom(const std::string& text, const model::ModelConfig& config,
               const formats::TokenizerPtr& names) {
  try {
    return model::onePredicted(text, config, names.get());
  } catch (const UserError& error) {
    throw UserError(fmt::format("--attribute: {}", error.what()));
  }
}

/// Computes the requested readings, with names for tokens.
class Reader {
 public:
  Reader(const ModelReadings& readings, const model::ModelTracePtr& trace,
         const formats::TokenizerPtr& names)
      : readings_(readings), trace_(trace), names_(names) {
    if (readings.at && !readings.lens && readings.attribute.empty() && readings.patch.empty() &&
        !readings.gradients) {
      throw UserError(
          "--at chooses the token for --lens, --attribute, --patch and --grad-of: give one of "
          "them");
    }
    row_ = readings.at.value_or(model::readPlace(*trace, names.get()));
    if (row_ < 0 || row_ >= trace->tokens()) {
      throw UserError(
          fmt::format("--at {}: the text has the tokens 0 to {}", row_, trace->tokens() - 1));
    }
  }

  Index row() const { return row_; }
  /// "place 4, Ġsat", with positions counted from 1.
  std::string placeInWords() const {
    return fmt::format("place {}, {}", row_ + 1,
                       nameAt(trace_->document().input, row_, names_.get()));
  }
  Index word() const {
    return readings_.attribute.empty()
               ? trace_->predictions(row_, 1).front().id
               : wordFrom(readings_.attribute.front(), trace_->config(), names_);
  }
  std::optional<Index> other() const {
    if (readings_.attribute.size() < 2) return std::nullopt;
    return wordFrom(readings_.attribute[1], trace_->config(), names_);
  }
  std::string nameOf(Index id) const {
    const std::string name = model::predictedName(id, trace_->config(), names_.get());
    return name.empty() && names_ == nullptr ? std::to_string(id) : name;
  }
  const char* kindOfWord() const { return trace_->config().image.on() ? "label" : "token"; }
  Json tokenJson(Index id) const {
    Json one{{"id", id}};
    const bool label = !trace_->config().labels.empty();
    if (label || names_ != nullptr) one[label ? "label" : "token"] = nameOf(id);
    return one;
  }
  const model::ModelConfig& config() const { return trace_->config(); }
  std::string halfInWords(Index half) const { return model::halfInWords(trace_->config(), half); }
  std::vector<model::LensDepth> lens() const {
    return logitLens(*trace_, row_, word(), {}).value();
  }
  model::LogitParts parts() const { return logitParts(*trace_, row_, word(), other(), {}).value(); }

  std::vector<HeadOfLayer> patchedHeads() const {
    return headsFrom("--patch", readings_.patch, config());
  }
  model::HeadReplaced patched(const HeadOfLayer& head) const {
    const Tensor own = headOutput(*trace_, head);
    const Tensor rows = fromOther()                     ? otherRows(head, own)
                        : readings_.patchWith == "mean" ? model::meanOfRows(own)
                                                        : Tensor::zeros(own.shape());
    return replaceHead(trace_, head, rows, row_, word(), other(), {}).value();
  }
  bool fromOther() const {
    return readings_.patchText || !readings_.patchIds.empty() || readings_.patchImage.given();
  }
  const char* whatIsRead() const { return config().image.on() ? "image" : "text"; }
  /// "its mean over the text's tokens".
  std::string patchInWords() const {
    if (fromOther()) return fmt::format("its output on the other {}", whatIsRead());
    if (readings_.patchWith != "mean") return "nothing";
    return fmt::format("its mean over the {}'s tokens", whatIsRead());
  }

  /// The alignment with the text or image of --patch-text, --patch-ids or --patch-image.
  model::AlignedText alignment() const { return aligned(trace_->document().input, otherInput()); }

 private:
  model::ModelInput otherInput() const {
    const model::ModelConfig& c = trace_->config();
    if (readings_.patchImage.given()) {
      return imageInputFrom(readings_.patchImage, readings_.folder, *trace_->document().model);
    }
    model::ModelInput input{readings_.patchIds, {}, {}};
    if (readings_.patchText) {
      if (names_ == nullptr) {
        throw UserError("--patch-text: the folder has no tokenizer: give --patch-ids");
      }
      input = inputOf(names_->encode(*readings_.patchText, true, "--patch-text"), *names_, c);
    }
    return input;
  }
  Tensor otherRows(HeadOfLayer head, const Tensor& own) const {
    const auto other = runModel(withInput(trace_->document(), otherInput()), nullptr, {},
                                defaultMemoryBudget() / 4);
    return model::alignedRows(own, headOutput(*other, head), alignment().places);
  }

  const ModelReadings& readings_;
  const model::ModelTracePtr& trace_;
  const formats::TokenizerPtr& names_;
  Index row_ = 0;
};

void printLens(std::ostream& out, const Reader& reader) {
  const Index word = reader.word();
  out << fmt::format("\nafter each half layer, at {}: the predicted {}, and the rank of {}\n",
                     reader.placeInWords(), reader.kindOfWord(), reader.nameOf(word));
  TextTable table({Align::left, Align::left, Align::right, Align::right, Align::right});
  table.add({"after", "would say", "p", "rank", "its p"});
  const auto lens = reader.lens();
  for (const auto& [half, best, standing] : lens) {
    table.add({reader.halfInWords(half), reader.nameOf(best.id),
               fmt::format("{:.3f}", best.probability), withThousands(standing.rank + 1),
               fmt::format("{:.3f}", standing.token.probability)});
  }
  table.print(out);
}

void printParts(std::ostream& out, const Reader& reader) {
  constexpr std::size_t kShown = 12;
  const auto other = reader.other();
  const model::LogitParts found = reader.parts();
  out << fmt::format(
      "\nwhat adds directly to the logit of {}{} at {}: {}{} parts\n", reader.nameOf(reader.word()),
      other ? fmt::format(" minus that of {}", reader.nameOf(*other)) : "", reader.placeInWords(),
      found.parts.size() > kShown ? fmt::format("the {} largest of ", kShown) : "",
      found.parts.size());
  printLargestParts(out, found.parts, reader.config(), kShown);
  out << fmt::format("sum of all {} parts {:+.4f} = logit {:+.4f}\n", found.parts.size(), found.sum,
                     found.logit);
}

void printPatch(std::ostream& out, const Reader& reader, const model::ModelTrace& trace,
                const HeadOfLayer& head) {
  const model::HeadReplaced found = reader.patched(head);
  const auto other = reader.other();
  out << fmt::format(
      "\nwith {} in place of the output of {}, head {}, at {}: the logit of {}{} goes "
      "from {:.4f} to {:.4f}\ntotal effect {:+.4f}",
      reader.patchInWords(), trace.config().layerInWords(head.layer), head.head + 1,
      reader.placeInWords(), reader.nameOf(reader.word()),
      other ? fmt::format(" minus that of {}", reader.nameOf(*other)) : "", found.logitBefore,
      found.logitAfter, found.total());
  const std::string between = model::afterHeadInWords(trace.config(), head);
  if (!found.direct) {
    out << fmt::format("; the direct part is not defined, since {}\n",
                       model::DirectPath::whyNone());
  } else if (between.empty()) {
    out << ", all of it direct: no layer follows this head\n";
  } else {
    out << fmt::format(", direct {:+.4f}; the other {:+.4f} come by {}\n", *found.direct,
                       found.total() - *found.direct, between);
  }
  if (reader.fromOther()) printAlignment(out, reader.alignment());
  TextTable table({Align::left, Align::right, Align::right, Align::right});
  table.add({trace.config().image.on() ? "label" : "word", "before", "after", "change"});
  for (const auto& word : found.words) {
    table.add({reader.nameOf(word.id), fmt::format("{:.3f}", word.before),
               fmt::format("{:.3f}", word.after),
               fmt::format("{:+.3f}", word.after - word.before)});
  }
  table.print(out);
}

Json patchJson(const Reader& reader, const ModelReadings& readings, const HeadOfLayer& head) {
  const model::HeadReplaced found = reader.patched(head);
  Json words = Json::emptyList();
  for (const auto& word : found.words) {
    Json one = reader.tokenJson(word.id);
    one["p_before"] = numberJson(word.before);
    one["p_after"] = numberJson(word.after);
    words.push_back(std::move(one));
  }
  Json all = Json::emptyObject();
  formats::addLayer(all, head.layer, reader.config());
  all["head"] = head.head;
  all["with"] = reader.fromOther() ? reader.whatIsRead() : readings.patchWith;
  all["at"] = reader.row();
  all["word"] = reader.tokenJson(reader.word());
  if (const auto other = reader.other()) all["other"] = reader.tokenJson(*other);
  all["logit_before"] = numberJson(found.logitBefore);
  all["logit_after"] = numberJson(found.logitAfter);
  all["total_effect"] = numberJson(found.total());
  all["direct_effect"] = found.direct ? numberJson(*found.direct) : Json();
  if (reader.fromOther()) addAlignment(all, reader.alignment());
  all["words"] = std::move(words);
  return all;
}

}  // namespace

void printAlignment(std::ostream& out, const model::AlignedText& text) {
  if (!text.inWords.empty()) out << text.inWords << '\n';
}

void addAlignment(Json& json, const model::AlignedText& text) {
  if (text.inWords.empty()) return;
  Json places = Json::emptyList();
  for (const Index place : text.places) {
    places.push_back(place == model::kNoPartner ? Json() : Json(place));
  }
  json["aligned"] = std::move(places);
}

namespace {

/// Splits "a" or "a,b"; a comma at the start or the end is a token itself.
std::vector<std::string> oneOrTwo(const std::string& text) {
  const std::size_t comma = text.find(',', 1);
  if (comma == std::string::npos || comma + 1 == text.size()) return {text};
  return {text.substr(0, comma), text.substr(comma + 1)};
}

}  // namespace

void addModelReadings(CLI::App& app, ModelReadings& r) {
  app.add_flag("--lens", r.lens, "print the prediction after each half layer (logit lens)");
  app.add_option_function<std::string>(
         "--attribute", [&r](const std::string& text) { r.attribute = oneOrTwo(text); },
         "print what each head and network adds to a token's logit, or to the difference of two")
      ->check(notEmpty)
      ->type_name("TOKEN[,OTHER]");
  app.add_option(
         "--at", r.at,
         "the token, from 0, that --lens, --attribute, --patch and --grad-of are about (the "
         "last)")
      ->type_name("K");
  auto* patch =
      app.add_option(
             "--patch", r.patch,
             "replace this head's output (layer.head, from 0), or that of several, one after "
             "the other, or all, and print the total and direct effect on the word of "
             "--attribute, or on the most probable one")
          ->delimiter(',')
          ->check(notEmpty)
          ->type_name("L.H,L.H…|all");
  auto* with =
      app.add_option("--patch-with", r.patchWith, "by its mean over the text (default), or by zero")
          ->check(CLI::IsMember({"mean", "zero"}))
          ->needs(patch)
          ->type_name("mean|zero");
  auto* text = app.add_option("--patch-text", r.patchText,
                              "by its output on this text, aligned with the first token by token")
                   ->needs(patch)
                   ->excludes(with)
                   ->type_name("TEXT");
  auto* ids = app.add_option("--patch-ids", r.patchIds, "by its output on these token ids: 1,2,3")
                  ->delimiter(',')
                  ->check(notWhole)
                  ->needs(patch)
                  ->excludes(with)
                  ->excludes(text)
                  ->type_name("N,N…");
  for (CLI::Option* image : addOtherImageFlags(
           app, r.patchImage, "by its output on this picture, of the same size, patch by patch",
           {with, text, ids})) {
    image->needs(patch);
  }
  auto* generate =
      app.add_option("--generate", r.generate,
                     "continue the text by this many tokens, or until the model ends it")
          ->check(CLI::Range(Index{1}, Index{100000}))
          ->type_name("N");
  auto* temperature = app.add_option("--temperature", r.temperature,
                                     "logits are divided by it; 0 (default): greedy")
                          ->check(CLI::Range(0.0, 100.0))
                          ->needs(generate)
                          ->type_name("T");
  app.add_option(
         "--beam", r.beams,
         "with --generate: the continuation of the largest mean log-probability that a beam "
         "search of K beams finds, and its branches")
      ->check(CLI::Range(Index{1}, model::BeamSearch::kMostBeams))
      ->needs(generate)
      ->excludes(temperature)
      ->type_name("K");
  app.add_option("--top-k", r.topK, "sample from the K most probable tokens; 0 (default): all")
      ->check(CLI::Range(Index{0}, Index{1} << 24))
      ->needs(generate)
      ->needs(temperature)
      ->type_name("K");
  app.add_option("--seed", r.seed, "of the sampling, and of a template's texts")->type_name("S");
}

void addReadings(Json& json, const ModelReadings& readings, const model::ModelTracePtr& trace,
                 const formats::TokenizerPtr& names) {
  const Reader reader(readings, trace, names);
  if (readings.lens) {
    Json depths = Json::emptyList();
    for (const model::LensDepth& depth : reader.lens()) {
      Json one = reader.tokenJson(depth.best.id);
      one["after"] = reader.halfInWords(depth.half);
      one["p"] = numberJson(depth.best.probability);
      one["word"] = reader.tokenJson(depth.word.token.id);
      one["word_rank"] = depth.word.rank;
      one["word_p"] = numberJson(depth.word.token.probability);
      depths.push_back(std::move(one));
    }
    json["lens"] = std::move(depths);
  }
  if (!readings.attribute.empty()) {
    const model::LogitParts found = reader.parts();
    Json all{{"at", reader.row()},
             {"word", reader.tokenJson(reader.word())},
             {"sum", numberJson(found.sum)},
             {"logit", numberJson(found.logit)}};
    if (const auto other = reader.other()) all["other"] = reader.tokenJson(*other);
    all["parts"] = partsJson(found.parts, trace->config());
    json["attribution"] = std::move(all);
  }
  if (!readings.patch.empty()) {
    const std::vector<HeadOfLayer> heads = reader.patchedHeads();
    Json patches = Json::emptyList();
    for (const HeadOfLayer& head : heads) patches.push_back(patchJson(reader, readings, head));
    json["patch"] = heads.size() > 1 ? patches : patches.list()->front();
  }
  if (readings.generate > 0) {
    addGenerated(json, continued(trace, readings.writing(), {}), names);
  }
}

Json partsJson(const std::vector<WrittenPart>& parts, const model::ModelConfig& config) {
  Json list = Json::emptyList();
  for (const WrittenPart& part : parts) {
    Json one = formats::writerJson(part, config);
    one["value"] = numberJson(part.value);
    list.push_back(std::move(one));
  }
  return list;
}

void printLargestParts(std::ostream& out, std::vector<WrittenPart> parts,
                       const model::ModelConfig& config, std::size_t most) {
  std::stable_sort(parts.begin(), parts.end(), [](const WrittenPart& a, const WrittenPart& b) {
    return std::abs(a.value) > std::abs(b.value);
  });
  TextTable table({Align::left, Align::right});
  for (std::size_t i = 0; i < std::min(most, parts.size()); ++i) {
    table.add({inWords(parts[i], config), fmt::format("{:+.4f}", parts[i].value)});
  }
  table.print(out);
}

void printReadings(std::ostream& out, const ModelReadings& readings,
                   const model::ModelTracePtr& trace, const formats::TokenizerPtr& names) {
  const Reader reader(readings, trace, names);
  if (readings.lens) printLens(out, reader);
  if (!readings.attribute.empty()) printParts(out, reader);
  for (const HeadOfLayer& head : reader.patchedHeads()) printPatch(out, reader, *trace, head);
  if (readings.generate == 0) return;
  printGenerated(out, "continued", continued(trace, readings.writing(), {}), readings.writing(),
                 names);
}

}  // namespace headscope::cli
