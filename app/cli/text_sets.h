// Text sets: the flags for many texts of a command: a file of them, or a template that makes them
// (core/formats/text_templates.h).
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/open_model.h"
#include "core/formats/text_set.h"

namespace headscope::cli {

/// How many texts a template makes, and from which random numbers; none: 20, from 1.
struct TemplateOptions {
  std::optional<Index> count;
  std::optional<std::uint64_t> seed;
};

/// Adds --count; and --seed where the command has none.
void addTemplateFlags(CLI::App& app, TemplateOptions& options);

/// Throws UserError where the flags are given and `set` names no template.
void checkTemplateFlags(const TemplateOptions& options, const std::string& set);

/// The texts of a file, of the standard input `in`, or of a template for the tokenizer of the model
/// in `folder`: "ioi.jsonl", "-", "template:ioi". Throws UserError as readTextSet and textsOf do.
std::vector<formats::TextOfSet> textsOfSet(const std::string& set, const TemplateOptions& options,
                                           OpenModels& models, const std::string& folder,
                                           std::istream* in);

}  // namespace headscope::cli
