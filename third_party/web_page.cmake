# add_web_page(<target> <source> <folder>): a program for a browser in build/web/site: its script and
# its code; and from the folder web_page.html as index.html, the same for one card in another page
# (embed.html), service_worker.js, and manifest.webmanifest with the icon, by which a browser installs
# the page; and the models that it loads when they are asked for. The page takes the build with threads where it may.
function(add_web_page target source folder)
  add_executable(${target} ${source})
  target_link_libraries(${target} PRIVATE headscope_app headscope_warnings CLI11::CLI11)
  target_link_options(${target} PRIVATE
    -Oz -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=64MB -sMAXIMUM_MEMORY=4GB -sSTACK_SIZE=1MB
    -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2 -sENVIRONMENT=web$<$<BOOL:${HEADSCOPE_WEB_THREADS}>:,worker> -sFORCE_FILESYSTEM=1
    # a smaller script: integers of 64 bits pass as they are, and browsers decode texts
    -sWASM_BIGINT -sTEXTDECODER=2
    -lidbfs.js -sEXPORTED_FUNCTIONS=_main,_malloc,_free
    -sEXPORTED_RUNTIME_METHODS=FS,IDBFS,UTF8ToString,stringToUTF8,lengthBytesUTF8)
  set(name ${target})
  if(HEADSCOPE_WEB_THREADS)
    set(name ${target}-threads)
    # the scheduler's threads, and some for the loops within a pass; more come when asked for
    target_link_options(${target} PRIVATE -sPTHREAD_POOL_SIZE=8 -sPTHREAD_POOL_SIZE_STRICT=0
                                          -sDEFAULT_PTHREAD_STACK_SIZE=1MB)
  endif()
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name})
  set(site ${PROJECT_SOURCE_DIR}/build/web/site)
  set(made ${PROJECT_BINARY_DIR}/${name})
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E make_directory ${site}
    COMMAND ${CMAKE_COMMAND} -E copy ${made}.js ${made}.wasm ${site} VERBATIM)
  foreach(page index embed)
    configure_file(${folder}/web_page.html ${site}/${page}.html COPYONLY)
  endforeach()
  foreach(file service_worker.js manifest.webmanifest)
    configure_file(${folder}/${file} ${site}/${file} COPYONLY)
  endforeach()
  configure_file(${PROJECT_SOURCE_DIR}/app/desktop/headscope.svg ${site}/icon.svg COPYONLY)
  file(GLOB models RELATIVE ${PROJECT_SOURCE_DIR}/assets ${PROJECT_SOURCE_DIR}/assets/models/*/*)
  foreach(file IN LISTS models)
    configure_file(${PROJECT_SOURCE_DIR}/assets/${file} ${site}/${file} COPYONLY)
  endforeach()
endfunction()
