# embed_files(<target> <name> <base_dir> <file>...)
#
# Puts the files into <target> as they are. A source of <target> reaches them by declaring
#   namespace headscope::embedded {
#   std::span<const std::pair<std::string_view, std::string_view>> <name>();
#   }
# which gives (path below base_dir, contents), sorted by path. Editing a file rebuilds it.
set(HEADSCOPE_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/write_embedded.cmake)

function(embed_files target name base_dir)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.cpp)
  add_custom_command(
    OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DNAME=${name} -DBASE=${base_dir} -DOUT=${source}
            "-DFILES=${ARGN}" -P ${HEADSCOPE_EMBED_SCRIPT}
    DEPENDS ${ARGN} ${HEADSCOPE_EMBED_SCRIPT}
    COMMENT "Embedding ${name}"
    VERBATIM)
  # On its own: who links one file of the contents links no other code with it.
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${source})
endfunction()
