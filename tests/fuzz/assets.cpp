// Asset files: the same JSON as presets, their weights, examples, lexicon, designed heads, colour
// maps and glossary.
#include <stdexcept>

#include "core/formats/color_map_file.h"
#include "core/formats/document_json.h"
#include "core/heads/head_description.h"
#include "core/input/lexicon.h"
#include "core/input/word_forms.h"
#include "core/presets/preset_files.h"
#include "core/words/glossary.h"
#include "tests/fuzz/fuzzing.h"

namespace headscope {
namespace {

/// The readers of the program's own files name the file in a runtime_error.
template <typename Read>
void acceptedAsOwn(Read read) {
  try {
    read();
  } catch (const std::runtime_error& error) {
    fuzz::require(std::string_view(error.what()).find(".json") != std::string_view::npos);
  }
}

void readPresets(std::string_view json) {
  for (const Preset& preset :
       parsePresets(json, [](const std::string&) { return InputSource(); })) {
    fuzz::accepted([&] { parsePresetWeights(json, preset); });
  }
}

}  // namespace
}  // namespace headscope

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headscope;
  const std::string_view json = fuzz::textOf(data, size);
  const auto series = [](std::string_view) -> std::string_view { return "a,b\n1,2\n"; };
  fuzz::accepted([&] { readPresets(json); });
  fuzz::accepted([&] { parseExamples(json, series); });
  fuzz::accepted([&] { Lexicon{json}; });
  fuzz::accepted([&] { WordForms{json}; });
  acceptedAsOwn([&] { parseDesignedHeads(json); });
  acceptedAsOwn([&] { formats::parseColorMaps(json); });
  acceptedAsOwn([&] { parseGlossary(json); });
  formats::parseTokens(std::string(json));
  return 0;
}
