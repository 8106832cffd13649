#include "core/formats/text_set.h"

#include <fmt/format.h>

#include <string_view>

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/utf8.h"

namespace headscope::formats {
namespace {

TextOrIds textOrIds(const JsonField& line, const std::string& name) {
  TextOrIds found;
  if (const auto text = line.find(name)) {
    found.text = text->text();
    if (found.text.empty()) text->fail("is empty");
  }
  if (const auto ids = line.find(name == "text" ? "ids" : name + "_ids")) {
    if (!found.text.empty()) ids->fail("stands beside a text: give one of the two");
    found.ids = ids->wholes();
  }
  return found;
}

TextOfSet textOf(const JsonField& line) {
  TextOfSet found;
  found.text = textOrIds(line, "text");
  if (found.text.empty()) found.text = textOrIds(line, "clean");
  found.other = textOrIds(line, "corrupt");
  if (const auto answers = line.find("answers")) found.answers = answers->texts();
  if (const auto ids = line.find("answer_ids")) {
    for (const Index id : ids->wholes()) found.answers.push_back(std::to_string(id));
  }
  if (found.text.empty()) line.fail("has no \"text\", \"clean\", \"ids\" or \"clean_ids\"");
  if (found.answers.size() > 2)
    line.fail("has more than two answers: give the right and the wrong");
  return found;
}

TextOfSet textOfLine(const std::string& line, const std::string& name, bool json) {
  TextOfSet found;
  if (json) {
    try {
      const Json parsed = parseJson(line);
      found = textOf(JsonField(parsed, name));
    } catch (const JsonError& error) {
      throw UserError(fmt::format("{}: {}", name, error.what()));
    }
  } else {
    found.text.text = line;
  }
  found.name = name;
  return found;
}

std::vector<TextOfSet> textsOfLines(const std::string& all, const std::string& of, bool json) {
  std::vector<TextOfSet> texts;
  std::size_t begin = 0;
  for (Index number = 1; begin < all.size(); ++number) {
    const std::size_t end = std::min(all.find('\n', begin), all.size());
    std::string line = all.substr(begin, end - begin);
    begin = end + 1;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.find_first_not_of(" \t") == std::string::npos) continue;
    texts.push_back(textOfLine(line, fmt::format("{}, line {}", of, number), json));
  }
  if (texts.empty()) throw UserError(fmt::format("{} has no text: write one on each line", of));
  return texts;
}

}  // namespace

bool isTextSet(const std::filesystem::path& path) {
  return path.extension() == ".jsonl" || path.extension() == ".txt";
}

std::vector<TextOfSet> readTextSet(const std::filesystem::path& path) {
  return textsOfLines(readText(path, kMostSetBytes, "set of texts"), path.string(),
                      path.extension() == ".jsonl");
}

std::vector<TextOfSet> textSetFrom(const std::string& all, const std::string& name) {
  return textsOfLines(all, name, trimmed(all).starts_with('{'));
}

}  // namespace headscope::formats
