// Program: a linked vertex and fragment shader, from shaders/NAME.vert and shaders/NAME.frag.
#pragma once

#include <epoxy/gl.h>

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace headscope::gl {

// Shader files: the GLSL under shaders/, embedded at build time.

/// Contents of shaders/<name>. Throws std::out_of_range: a missing shader is our mistake.
std::string_view shaderFile(std::string_view name);

/// Gives the text of a shader file by its name ("heatmap.frag").
struct ShaderSource {
  std::string folder;  // as it is called in messages
  std::function<std::string(std::string_view name)> read;
};

/// Those embedded at build time; with a folder, those in it instead.
ShaderSource shaderSource(const std::filesystem::path& folder = {});

class Program {
 public:
  /// Throws Error: "shaders/heatmap.frag:12: …" where one does not compile.
  Program(std::string_view name, const ShaderSource& source);
  ~Program();
  Program(Program&& other) noexcept;
  Program& operator=(Program&& other) noexcept;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void use() const;
  void set(const char* uniform, int value) const;
  void set(const char* uniform, float value) const;
  void set(const char* uniform, float x, float y) const;
  void set(const char* uniform, float x, float y, float z, float w) const;

 private:
  GLint location(const char* uniform) const;

  GLuint id_ = 0;
};

}  // namespace headscope::gl
