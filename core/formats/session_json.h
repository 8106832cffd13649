// A session as JSON. Its tensors are in the file next to it (session.h) or drawn again (link.h).
#pragma once

#include <string>

#include "core/base/json.h"
#include "core/formats/session.h"
#include "core/formats/tensor_table.h"

namespace headscope::formats {

/// The prefix of the names of a document's tensors: "document" or "scene 3".
inline constexpr const char* kNameOfDocument = "document";
std::string nameOfScene(int number);

/// `leftOut` receives what could not be stored and the reason, or becomes empty.
Json sessionJson(const Session& session, TensorsToSave& tensors, std::string& leftOut);

/// The edits of models, and the session's documents that are layers of these models.
Json modelsJson(const Session& session, TensorsToSave& tensors, std::string& leftOut);
/// `session` must already have its documents.
SavedModels modelsFrom(const JsonField& field, const Session& session, TensorsToRead& tensors,
                       Index memoryBudget);

/// Throws UserError that names the file and field, where it is no session, and where it is of a
/// version that is not known.
void requireVersion(const JsonField& file, const std::string& path);
Session sessionFrom(const JsonField& file, TensorsToRead& tensors, Index memoryBudget);

/// Parses the text as JSON. Throws UserError where it is not JSON.
Json sessionIn(const std::string& text, const std::string& file);

}  // namespace headscope::formats
