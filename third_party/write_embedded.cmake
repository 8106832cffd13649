# Writes the source that embed_files() compiles: NAME, BASE, OUT and FILES as given there.
# The assembler's .incbin takes the bytes: no array literal of a megabyte to parse. WebAssembly's has
# none; the compiler for it takes them by #embed.
list(SORT FILES)
set(blobs "")
set(embeds "")
set(symbols "")
set(rows "")
set(index 0)
foreach(file IN LISTS FILES)
  file(RELATIVE_PATH path ${BASE} ${file})
  set(symbol headscope_embedded_${NAME}_${index})
  string(APPEND blobs "asm(SECTION
    \".balign 16\\n\"
    NAME(${symbol})
    \".incbin \\\"${file}\\\"\\n\"
    NAME(${symbol}_end)
    \".byte 0\\n\"
    \".text\\n\");\n")
  string(APPEND embeds "alignas(16) const char ${symbol}[] = {\n#embed \"${file}\"\n};
constexpr const char* ${symbol}_end = ${symbol} + sizeof(${symbol});\n")
  string(APPEND symbols "extern const char ${symbol}[];\nextern const char ${symbol}_end[];\n")
  string(APPEND rows "      {\"${path}\", {${symbol}, ${symbol}_end}},\n")
  math(EXPR index "${index} + 1")
endforeach()

if(rows)
  set(body "  static const std::pair<std::string_view, std::string_view> files[] = {\n${rows}  };
  return files;\n")
else()
  set(body "  return {};\n")
endif()
file(WRITE ${OUT} "#include <span>
#include <string_view>
#include <utility>

#ifdef __EMSCRIPTEN__
${embeds}
#else
// Each format of programs has its own section of constants; Apple's puts _ before the names of C.
#if defined(_WIN32)
#define SECTION \".section .rdata,\\\"dr\\\"\\n\"
#define NAME(symbol) #symbol \":\\n\"
#elif defined(__APPLE__)
#define SECTION \".section __TEXT,__const\\n\"
#define NAME(symbol) \"_\" #symbol \":\\n\"
#else
#define SECTION \".section .rodata\\n\"
#define NAME(symbol) #symbol \":\\n\"
#endif
${blobs}
extern \"C\" {
${symbols}}
#endif

namespace headscope::embedded {

std::span<const std::pair<std::string_view, std::string_view>> ${NAME}();

std::span<const std::pair<std::string_view, std::string_view>> ${NAME}() {
${body}}

}  // namespace headscope::embedded
")
