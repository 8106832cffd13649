// Lesson files: assets/lessons/*.json and a teacher's own, as assets/lessons/README.md describes
// them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/lessons/lesson.h"

namespace headscope::formats {

/// Throws UserError that names the file and the place: the line where it is not JSON, otherwise the
/// field.
lessons::Lesson parseLesson(std::string_view text, const std::string& file);

/// The lessons that come with the program, in their order.
const std::vector<lessons::Lesson>& shippedLessons();

/// Returns whether a path is a lesson's: it ends in ".lesson.json".
bool isLesson(std::string_view path);

}  // namespace headscope::formats
