// Read as: whether what a model is given is a picture or a text. A CLIP's folder holds an encoder
// of each, and what it is given decides which one is opened.
#pragma once

#include <filesystem>
#include <string>

namespace headscope {

struct ModelMoment;

/// Returns whether a text opens the encoder of texts of a CLIP's folder, which otherwise opens the
/// encoder of images: it is no picture's name.
bool readsAsText(const std::filesystem::path& folder, const std::string& text);

/// Returns whether a picture can be opened in the place of the moment's input.
bool readsPictures(const ModelMoment& moment);

}  // namespace headscope
