#include "app/gl/program.h"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "app/gl/error.h"

namespace headscope {

namespace embedded {
std::span<const std::pair<std::string_view, std::string_view>> shaders();
}

namespace gl {

std::string_view shaderFile(std::string_view name) {
  for (const auto& [path, contents] : embedded::shaders()) {
    if (path == name) return contents;
  }
  throw std::out_of_range("no shader " + std::string(name));
}

}  // namespace gl
}  // namespace headscope

namespace headscope::gl {
namespace {

/// The files are what GLSL 3.30 and GLSL ES 3.00 share; the first line is what they do not.
std::string_view versionLine() {
  if (epoxy_is_desktop_gl()) return "#version 330 core\n#line 1\n";
  return "#version 300 es\n"
         "precision highp float;\nprecision highp int;\n"
         "precision highp sampler2D;\nprecision highp sampler2DArray;\n#line 1\n";
}

/// Drivers begin a line of their log with "0:12(5): error: …", "0(12) : error C1: …" or
/// "ERROR: 0:12: …".
std::string readableLog(const std::string& file, const std::string& log) {
  static const std::regex pattern(R"((?:ERROR: )?\d+[:(](\d+)\)?(?:\(\d+\))?\s*:\s*([^\n]*))");
  std::smatch match;
  if (!std::regex_search(log, match, pattern)) return fmt::format("{}: {}", file, log);
  return fmt::format("{}:{}: {}", file, match[1].str(), match[2].str());
}

template <typename GetParameter, typename GetLog>
std::string infoLog(GLuint id, GetParameter getParameter, GetLog getLog) {
  GLint length = 0;
  getParameter(id, GL_INFO_LOG_LENGTH, &length);
  std::string log(static_cast<std::size_t>(length), '\0');
  if (length > 0) getLog(id, length, &length, log.data());
  log.resize(static_cast<std::size_t>(length));
  return log;
}

GLuint compile(GLenum stage, const std::string& name, const ShaderSource& source) {
  const std::string text = std::string(versionLine()) + source.read(name);
  const char* data = text.c_str();
  const GLuint shader = glCreateShader(stage);
  glShaderSource(shader, 1, &data, nullptr);
  glCompileShader(shader);
  GLint compiled = GL_FALSE;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
  if (compiled == GL_TRUE) return shader;
  const std::string log = infoLog(shader, glGetShaderiv, glGetShaderInfoLog);
  glDeleteShader(shader);
  throw Error(readableLog(source.folder + "/" + name, log));
}

}  // namespace

ShaderSource shaderSource(const std::filesystem::path& folder) {
  if (folder.empty()) {
    return {"shaders", [](std::string_view name) { return std::string(shaderFile(name)); }};
  }
  return {folder.string(), [folder](std::string_view name) {
            std::ifstream file(folder / name, std::ios::binary);
            if (!file) {
              throw Error(
                  fmt::format("{}: cannot be read; the folder given by --shader-dir must "
                              "hold all files of shaders/",
                              (folder / name).string()));
            }
            return std::string(std::istreambuf_iterator<char>(file), {});
          }};
}

Program::Program(std::string_view name, const ShaderSource& source) {
  const std::string base(name);
  const GLuint vertex = compile(GL_VERTEX_SHADER, base + ".vert", source);
  GLuint fragment = 0;
  try {
    fragment = compile(GL_FRAGMENT_SHADER, base + ".frag", source);
  } catch (...) {
    glDeleteShader(vertex);
    throw;
  }
  id_ = glCreateProgram();
  for (const GLuint shader : {vertex, fragment}) glAttachShader(id_, shader);
  glLinkProgram(id_);
  for (const GLuint shader : {vertex, fragment}) {
    glDetachShader(id_, shader);
    glDeleteShader(shader);
  }
  GLint linked = GL_FALSE;
  glGetProgramiv(id_, GL_LINK_STATUS, &linked);
  if (linked == GL_TRUE) return;
  const std::string log = infoLog(id_, glGetProgramiv, glGetProgramInfoLog);
  glDeleteProgram(id_);
  throw Error(fmt::format("{}/{}.vert and .frag do not link: {}", source.folder, base, log));
}

Program::~Program() {
  if (id_ != 0) glDeleteProgram(id_);
}

Program::Program(Program&& other) noexcept : id_(std::exchange(other.id_, 0)) {}

Program& Program::operator=(Program&& other) noexcept {
  std::swap(id_, other.id_);
  return *this;
}

void Program::use() const { glUseProgram(id_); }
void Program::set(const char* uniform, int value) const { glUniform1i(location(uniform), value); }
void Program::set(const char* uniform, float value) const { glUniform1f(location(uniform), value); }
void Program::set(const char* uniform, float x, float y) const {
  glUniform2f(location(uniform), x, y);
}
void Program::set(const char* uniform, float x, float y, float z, float w) const {
  glUniform4f(location(uniform), x, y, z, w);
}

GLint Program::location(const char* uniform) const { return glGetUniformLocation(id_, uniform); }

}  // namespace headscope::gl
