// Model words: a whole model, the notes on its folder and the target that it wrote, in a line each.
#pragma once

#include <string>

namespace headscope::model {
class Model;
struct ModelNotes;
}  // namespace headscope::model

namespace headscope {
struct ModelMoment;
}  // namespace headscope

namespace headscope::ui {

/// The nouns for what a model is given and what it says: a text and a word, of images a picture and
/// a label.
struct ModelNouns {
  const char *given, *said;
};
ModelNouns nounsOf(const ModelMoment& moment);

/// Returns whether a model is a file of attention weights, which tells nothing else.
bool isAttentionAlone(const model::Model& model);

/// "vit · 2 layers · d_model 64 · 4 heads of 16 · images of 48 × 48, patches of 6 × 6".
std::string modelInWords(const model::Model& model);

/// "2 unknown fields · 1 unused tensor"; empty where nothing is left out.
std::string notesInWords(const model::ModelNotes& notes);

/// How a model wrote its target: "the most probable token each time", but where it forces or bars
/// one. The predictions at the target's tokens tell which.
std::string writtenInWords(const ModelMoment& moment);

}  // namespace headscope::ui
