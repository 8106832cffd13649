// JSON lines: the flag --jsonl, with which a command takes every text of a file and prints one JSON
// object a line for each.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/formats/text_set.h"

namespace headscope::cli {

/// Adds --jsonl, which takes the place of --text, --pair, --file and, where the command has it,
/// --ids.
CLI::Option* addJsonLines(CLI::App& app, std::string& file);

/// Prints the JSON of each text, with its name as "source", and the progress on stderr; `work`
/// names it. An error of `json` names the text.
void printJsonLines(std::ostream& out, const std::vector<formats::TextOfSet>& texts,
                    const std::string& work,
                    const std::function<Json(const formats::TextOfSet&)>& json);

}  // namespace headscope::cli
