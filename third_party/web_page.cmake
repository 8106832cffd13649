# add_web_page(<target> <source> <page>): a program for a browser in build/web/site: the page with
# all of its script within, the same for one card in another page (embed.html), and the code beside
# them. With threads, script and code alone, which the page takes in their place where it may.
function(add_web_page target source page)
  add_executable(${target} ${source})
  target_link_libraries(${target} PRIVATE headscope_app headscope_warnings)
  target_link_options(${target} PRIVATE
    -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=64MB -sMAXIMUM_MEMORY=4GB -sSTACK_SIZE=1MB
    -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2 -sENVIRONMENT=web$<$<BOOL:${HEADSCOPE_WEB_THREADS}>:,worker> -sFORCE_FILESYSTEM=1
    -lidbfs.js -sEXPORTED_FUNCTIONS=_main,_malloc,_free
    -sEXPORTED_RUNTIME_METHODS=FS,IDBFS,UTF8ToString,stringToUTF8,lengthBytesUTF8)
  set(site ${PROJECT_SOURCE_DIR}/build/web/site)
  if(HEADSCOPE_WEB_THREADS)
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${target}-threads)
    # one for the passes and some for what is computed beside the frames; more come when asked for
    target_link_options(${target} PRIVATE -sPTHREAD_POOL_SIZE=8 -sPTHREAD_POOL_SIZE_STRICT=0
                                          -sDEFAULT_PTHREAD_STACK_SIZE=1MB)
    set(made ${PROJECT_BINARY_DIR}/${target}-threads)
    add_custom_command(TARGET ${target} POST_BUILD
      COMMAND ${CMAKE_COMMAND} -E make_directory ${site}
      COMMAND ${CMAKE_COMMAND} -E copy ${made}.js ${made}.wasm ${site} VERBATIM)
    return()
  endif()
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -DPAGE=${CMAKE_CURRENT_SOURCE_DIR}/${page} -DCODE=$<TARGET_FILE:${target}>
            -DICON=${PROJECT_SOURCE_DIR}/app/desktop/headscope.svg -DSITE=${site}
            -P ${PROJECT_SOURCE_DIR}/third_party/write_page.cmake
    VERBATIM)
  set_target_properties(${target} PROPERTIES LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${page})
endfunction()
