// Model name: the name of a model in sentences, from the folder that it was opened from.
#pragma once

#include <filesystem>
#include <string>

namespace headscope::formats {

/// "gpt2" for a folder gpt2. A model in Hugging Face's cache, whose folder has a hash as its name
/// (…/models--openai-community--gpt2/snapshots/607a30d7…), has the name of its site:
/// "openai-community/gpt2".
std::string modelName(const std::filesystem::path& directory);

}  // namespace headscope::formats
