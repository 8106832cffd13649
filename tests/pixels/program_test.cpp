// Shaders and GL objects: readable errors, nothing left behind.
#include "app/gl/program.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "app/gl/objects.h"
#include "tests/pixels/pixel_test.h"

namespace headscope {
namespace {

class ProgramTest : public PixelTest {
 protected:
  static std::string messageOf(const gl::ShaderSource& source) {
    try {
      const gl::Program program("heatmap", source);
    } catch (const gl::Error& error) {
      return error.what();
    }
    return "no error";
  }
};

TEST_F(ProgramTest, AShaderThatDoesNotCompileIsNamedWithItsLine) {
  auto source = gl::shaderSource();
  const auto read = source.read;
  source.read = [&](std::string_view name) {
    return name == "heatmap.frag"
               ? std::string("out vec4 color;\n\nvoid main() {\n  color = x;\n}\n")
               : read(name);
  };
  const auto message = messageOf(source);
  EXPECT_EQ(message.rfind("shaders/heatmap.frag:4: ", 0), 0U) << message;
  EXPECT_NE(message.find("x"), std::string::npos) << message;
}

TEST_F(ProgramTest, AFolderOfShadersIsReadAndAMissingFileNamed) {
  const auto folder = std::filesystem::temp_directory_path() / "headscope_shader_test";
  std::filesystem::create_directories(folder);
  const auto source = gl::shaderSource(folder);
  std::filesystem::remove(folder / "heatmap.frag");
  std::ofstream(folder / "heatmap.vert") << gl::shaderFile("heatmap.vert");
  auto message = messageOf(source);
  EXPECT_EQ(message.rfind((folder / "heatmap.frag").string() + ": cannot be read", 0), 0U)
      << message;

  std::ofstream(folder / "heatmap.frag") << "void main() {\n  nonsense;\n}\n";
  message = messageOf(source);
  EXPECT_EQ(message.rfind((folder / "heatmap.frag").string() + ":2: ", 0), 0U) << message;

  std::ofstream(folder / "heatmap.frag") << gl::shaderFile("heatmap.frag");
  EXPECT_EQ(messageOf(source), "no error");
  std::filesystem::remove_all(folder);
}

TEST_F(ProgramTest, ShadersStayWithinWhatGlslEs300Shares) {
  ASSERT_TRUE(epoxy_has_gl_extension("GL_ARB_ES3_compatibility"));
  for (const char* name : {"heatmap.vert", "heatmap.frag", "ribbon.vert", "ribbon.frag"}) {
    const bool vertex = std::string(name).ends_with(".vert");
    const std::string text =
        "#version 300 es\nprecision highp float;\nprecision highp int;\n"
        "precision highp sampler2D;\nprecision highp sampler2DArray;\n" +
        std::string(gl::shaderFile(name));
    const char* data = text.c_str();
    const GLuint shader = glCreateShader(vertex ? GL_VERTEX_SHADER : GL_FRAGMENT_SHADER);
    glShaderSource(shader, 1, &data, nullptr);
    glCompileShader(shader);
    GLint compiled = GL_FALSE;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    char log[1024] = "";
    glGetShaderInfoLog(shader, sizeof(log), nullptr, log);
    EXPECT_EQ(compiled, GL_TRUE) << name << ": " << log;
    glDeleteShader(shader);
  }
}

TEST_F(ProgramTest, RenderersLeaveNoObjectsBehind) {
  renderer_.reset();
  const int before = liveGlObjects();
  for (int round = 0; round < 3; ++round) {
    gl::SceneRenderer renderer(maps_.bytes(), gl::shaderSource());
    gl::HeatmapBatch batch;
    batch.sources.push_back({1, 1, 2, 2, [](float* out) { std::fill(out, out + 4, 0.0F); }});
    batch.quads.emplace_back().rect = {0, 0, 20, 20};
    scene_.commands.push_back({&scene_, batch});
    renderer.draw(scene_, scene_.commands.back(), all());
    EXPECT_EQ(liveGlObjects(), before + renderer.stats().liveObjects);
    const gl::SceneRenderer moved = std::move(renderer);
    EXPECT_EQ(liveGlObjects(), before + moved.stats().liveObjects);
  }
  glUseProgram(0);  // one in use is deleted only then
  EXPECT_EQ(liveGlObjects(), before);
  EXPECT_THROW(gl::Program("no_such_shader", gl::shaderSource()), std::exception);
  EXPECT_EQ(liveGlObjects(), before);
}

TEST_F(ProgramTest, GlErrorsAreThrown) {
  glEnable(GL_TEXTURE_2D_ARRAY);  // not a capability
  EXPECT_THROW(gl::checkErrors("here"), gl::Error);
  EXPECT_NO_THROW(gl::checkErrors("here"));
}

}  // namespace
}  // namespace headscope
