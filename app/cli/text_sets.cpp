#include "app/cli/text_sets.h"

#include <fmt/format.h>

#include "app/cli/model_text.h"
#include "core/base/error.h"
#include "core/formats/text_templates.h"

namespace headscope::cli {
namespace {

constexpr Index kTexts = 20;

}  // namespace

void addTemplateFlags(CLI::App& app, TemplateOptions& options) {
  app.add_option("--count", options.count,
                 fmt::format("the number of texts that a template makes ({})", kTexts))
      ->check(CLI::Range(Index{1}, Index{100000}))
      ->type_name("N");
  if (app.get_option_no_throw("--seed") != nullptr) return;
  app.add_option("--seed", options.seed, "of a template's texts")->type_name("S");
}

void checkTemplateFlags(const TemplateOptions& options, const std::string& set) {
  if ((!options.count && !options.seed) || formats::isTextTemplate(set)) return;
  throw UserError(fmt::format("{} belongs to the texts of a template, such as {}: name one",
                              options.count ? "--count" : "--seed",
                              formats::textTemplatesInWords()));
}

std::vector<formats::TextOfSet> textsOfSet(const std::string& set, const TemplateOptions& options,
                                           OpenModels& models, const std::string& folder,
                                           std::istream* in) {
  if (set == "-" && in != nullptr) {
    return formats::textSetFrom(readStandardInput(in, "the set of texts", formats::kMostSetBytes),
                                "standard input");
  }
  if (!formats::isTextTemplate(set)) return formats::readTextSet(set);
  return textsOf(formats::textTemplate(set), *models.tokenizer(folder),
                 options.count.value_or(kTexts), options.seed.value_or(1));
}

}  // namespace headscope::cli
