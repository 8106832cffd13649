// Model name: what sentences call a model, after the folder that it was opened from.
#pragma once

#include <filesystem>
#include <string>

namespace headscope::formats {

/// "gpt2" for a folder gpt2. A model in Hugging Face's cache, whose folder is called by a hash
/// (…/models--openai-community--gpt2/snapshots/607a30d7…), is called as on their site:
/// "openai-community/gpt2".
std::string modelName(const std::filesystem::path& directory);

}  // namespace headscope::formats
