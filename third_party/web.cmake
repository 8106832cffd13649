# The libraries for a browser. Emscripten compiles them from their sources, which web.sh has unpacked
# into HEADSCOPE_SOURCES; what is headers alone comes from this machine's packages, through folders
# of their own: the rest of /usr/include is for another processor.
set(HEADSCOPE_SOURCES "" CACHE PATH "Folder of the libraries' sources (web.sh)")

# Exceptions and 128-bit vectors as browsers have had them since 2021 and 2023.
add_compile_options(-fwasm-exceptions -msimd128)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")  # -O3 makes a larger page
add_link_options(-fwasm-exceptions)
option(HEADSCOPE_WEB_THREADS "With threads, which a browser gives to isolated pages alone" OFF)
if(HEADSCOPE_WEB_THREADS)
  add_compile_options(-pthread)
  add_link_options(-pthread)
endif()

function(web_headers target)
  set(dir ${PROJECT_BINARY_DIR}/headers/${target})
  file(MAKE_DIRECTORY ${dir})
  foreach(path IN LISTS ARGN)
    get_filename_component(name ${path} NAME)
    file(CREATE_LINK ${path} ${dir}/${name} SYMBOLIC)
  endforeach()
  string(REPLACE "-" "::" named ${target})
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE ${dir})
  add_library(${named} ALIAS ${target})
endfunction()

function(web_library target include_dirs)
  string(REPLACE "-" "::" named ${target})
  add_library(${target} STATIC ${ARGN})
  target_include_directories(${target} SYSTEM PUBLIC ${include_dirs})
  target_compile_options(${target} PRIVATE -w -Os)
  add_library(${named} ALIAS ${target})
endfunction()

# find_sources(<name> <pattern>): <name>_dir is the one unpacked folder of this name.
macro(find_sources name pattern)
  file(GLOB ${name}_dir ${HEADSCOPE_SOURCES}/${pattern})
  list(LENGTH ${name}_dir count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "${HEADSCOPE_SOURCES}/${pattern}: one folder was looked for, there are "
                        "${count}. ./web.sh unpacks it.")
  endif()
endmacro()

web_headers(Eigen3-Eigen /usr/include/eigen3/Eigen)
# as headscope's Index, which is of 64 bits everywhere
target_compile_definitions(Eigen3-Eigen INTERFACE "EIGEN_DEFAULT_DENSE_INDEX_TYPE=long long")
web_headers(nlohmann_json-nlohmann_json /usr/include/nlohmann)
web_headers(CLI11-CLI11 /usr/include/CLI)
web_headers(fmt-fmt /usr/include/fmt)
target_compile_definitions(fmt-fmt INTERFACE FMT_HEADER_ONLY)
file(GLOB stb /usr/include/stb/*.h)
web_headers(stb-stb ${stb})

add_library(epoxy-epoxy INTERFACE)
target_include_directories(epoxy-epoxy INTERFACE ${PROJECT_SOURCE_DIR}/third_party/web)
add_library(epoxy::epoxy ALIAS epoxy-epoxy)

find_sources(utf8proc utf8proc-*)
web_library(utf8proc-utf8proc ${utf8proc_dir} ${utf8proc_dir}/utf8proc.c)
target_compile_definitions(utf8proc-utf8proc PUBLIC UTF8PROC_STATIC)

find_sources(csv libcsv-*)
web_library(csv-csv ${csv_dir} ${csv_dir}/libcsv.c)

find_sources(pcre2 pcre2-*)
set(pcre2_build ${PROJECT_BINARY_DIR}/pcre2)
configure_file(${pcre2_dir}/src/pcre2.h.generic ${pcre2_build}/pcre2.h COPYONLY)
configure_file(${pcre2_dir}/src/config.h.generic ${pcre2_build}/config.h COPYONLY)
configure_file(${pcre2_dir}/src/pcre2_chartables.c.dist ${pcre2_build}/pcre2_chartables.c COPYONLY)
set(pcre2_sources ${pcre2_build}/pcre2_chartables.c)
foreach(part auto_possess chkdint compile compile_class compile_cgroup config context convert
             dfa_match error extuni find_bracket jit_compile maketables match match_data match_next
             newline ord2utf pattern_info script_run serialize string_utils study substitute
             substring tables ucd valid_utf xclass)
  if(EXISTS ${pcre2_dir}/src/pcre2_${part}.c)  # not every version has all
    list(APPEND pcre2_sources ${pcre2_dir}/src/pcre2_${part}.c)
  endif()
endforeach()
web_library(pcre2-pcre2 ${pcre2_build} ${pcre2_sources})
target_include_directories(pcre2-pcre2 PRIVATE ${pcre2_dir}/src)
target_compile_definitions(pcre2-pcre2 PRIVATE HAVE_CONFIG_H PCRE2_CODE_UNIT_WIDTH=8 SUPPORT_PCRE2_8
                           SUPPORT_UNICODE PUBLIC PCRE2_STATIC)

find_sources(imgui imgui-*)
web_library(imgui-imgui "${imgui_dir};${imgui_dir}/misc/cpp"
            ${imgui_dir}/misc/cpp/imgui_stdlib.cpp
            ${imgui_dir}/imgui.cpp ${imgui_dir}/imgui_draw.cpp ${imgui_dir}/imgui_tables.cpp
            ${imgui_dir}/imgui_widgets.cpp
            ${imgui_dir}/backends/imgui_impl_opengl3.cpp)
target_compile_definitions(imgui-imgui PUBLIC IMGUI_IMPL_OPENGL_ES3)

add_library(Threads::Threads INTERFACE IMPORTED GLOBAL)
