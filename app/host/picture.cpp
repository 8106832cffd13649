#include "app/host/picture.h"

#include <imgui.h>

#include "app/host/offscreen.h"
#include "core/error.h"

namespace headscope::host {
namespace {

class KeepsImGuiContext {
 public:
  KeepsImGuiContext() = default;
  ~KeepsImGuiContext() { ImGui::SetCurrentContext(context_); }
  KeepsImGuiContext(const KeepsImGuiContext&) = delete;
  KeepsImGuiContext& operator=(const KeepsImGuiContext&) = delete;

 private:
  ImGuiContext* context_ = ImGui::GetCurrentContext();
};

}  // namespace

Image drawPicture(const PictureRequest& request, const std::filesystem::path& shaderDir) {
  const KeepsImGuiContext kept;
  App program(request.program);
  program.finish();
  if (!program.trace()) throw UserError(program.message());
  Offscreen offscreen(request.width, request.height, shaderDir);
  return offscreen.draw(program);
}

}  // namespace headscope::host
