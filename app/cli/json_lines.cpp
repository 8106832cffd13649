#include "app/cli/json_lines.h"

#include <fmt/format.h>

#include "app/cli/config_options.h"
#include "app/cli/progress.h"
#include "core/base/error.h"

namespace headscope::cli {
namespace {

Json jsonOfLine(const formats::TextOfSet& text,
                const std::function<Json(const formats::TextOfSet&)>& json) {
  try {
    return json(text);
  } catch (const UserError& error) {
    const std::string why = error.what();
    throw UserError(why.starts_with(text.name) ? why : fmt::format("{}: {}", text.name, why));
  }
}

}  // namespace

CLI::Option* addJsonLines(CLI::App& app, std::string& file) {
  CLI::Option* option =
      app.add_option("--jsonl", file,
                     "take each text of this file, one on a line or objects with \"text\", "
                     "of the standard input (-) or of a template (template:ioi), and print one "
                     "JSON object a line")
          ->check(notEmpty)
          ->type_name("F.jsonl");
  for (const char* flag : {"--text", "--pair", "--file", "--ids"}) {
    if (CLI::Option* text = app.get_option_no_throw(flag)) option->excludes(text);
  }
  return option;
}

void printJsonLines(std::ostream& out, const std::vector<formats::TextOfSet>& texts,
                    const std::string& work,
                    const std::function<Json(const formats::TextOfSet&)>& json) {
  Progress progress(work);
  Index done = 0;
  for (const formats::TextOfSet& text : texts) {
    Json line = jsonOfLine(text, json);
    line["source"] = text.name;
    out << line.dump() << '\n' << std::flush;
    progress.at(++done, std::ssize(texts), "texts");
  }
}

}  // namespace headscope::cli
