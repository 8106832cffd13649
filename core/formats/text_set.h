// Text set: many texts from one file, for experiments over all of them.
//
// A .jsonl file holds an object on each line: {"text": …} or {"clean": …, "corrupt": …, "answers":
// [right, wrong]}. Token ids stand in "ids", "clean_ids", "corrupt_ids" and "answer_ids" instead.
// Any other file holds a text on each line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/index.h"

namespace headscope::formats {

/// A text, or token ids that are taken as they are.
struct TextOrIds {
  std::string text;
  std::vector<Index> ids;

  bool empty() const { return text.empty() && ids.empty(); }
};

struct TextOfSet {
  std::string name;  // "ioi.jsonl, line 3"
  TextOrIds text;    // "text" or "clean"
  TextOrIds other;   // "corrupt"; may be empty
  /// The right and, if given, the wrong word: tokens, or their ids as text; may be empty.
  std::vector<std::string> answers;
};

/// Returns whether the name is that of a set: .jsonl or .txt.
bool isTextSet(const std::filesystem::path& path);

constexpr std::size_t kMostSetBytes = std::size_t{1} << 28;

/// Reads a set. Blank lines are passed over. Throws UserError that names the file, the line and the
/// field, and for a file without a text.
std::vector<TextOfSet> readTextSet(const std::filesystem::path& path);

/// Returns the set in a text that has no file name: objects where it begins with one, a text on
/// each line otherwise. Throws UserError as readTextSet does; `name` stands for the file's.
std::vector<TextOfSet> textSetFrom(const std::string& all, const std::string& name);

}  // namespace headscope::formats
