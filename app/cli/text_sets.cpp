#include "app/cli/text_sets.h"

#include <fmt/format.h>

#include "core/formats/text_templates.h"

namespace headscope::cli {

void addTemplateFlags(CLI::App& app, TemplateOptions& options) {
  app.add_option("--count", options.count,
                 fmt::format("the number of texts that a template makes ({})", options.count))
      ->check(CLI::Range(Index{1}, Index{100000}))
      ->type_name("N");
  if (app.get_option_no_throw("--seed") != nullptr) return;
  app.add_option("--seed", options.seed, "of a template's texts")->type_name("S");
}

std::vector<formats::TextOfSet> textsOfSet(const std::string& set, const TemplateOptions& options,
                                           OpenModels& models, const std::string& folder) {
  if (!formats::isTextTemplate(set)) return formats::readTextSet(set);
  return textsOf(formats::textTemplate(set), *models.tokenizer(folder), options.count,
                 options.seed);
}

}  // namespace headscope::cli
