# cmake --install build/release --prefix DIR: the program with its files, and what systems outside the tree are compiled
# against (systems/README.md, "Outside the tree"). Nothing of it names the sources' folder.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set_target_properties(harness harness_conformance PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
install(TARGETS harness harness_conformance RUNTIME DESTINATION bin)
if(TARGET harness_torch_devices)
  install(TARGETS harness_torch_devices LIBRARY DESTINATION lib)
endif()
foreach(folder experiments results templates)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/${folder} DESTINATION share/harness
    REGEX "_test\\.py$|_testing\\.py$|/__pycache__|results/baselines" EXCLUDE)
endforeach()
foreach(folder importers pipelines profiles traces)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/workloads/${folder} DESTINATION share/harness/workloads
    REGEX "_test\\.py$|_testing\\.py$|/__pycache__" EXCLUDE)
endforeach()

install(CODE [[
  set(prefix "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
  file(MAKE_DIRECTORY "${prefix}/share/bash-completion/completions")
  execute_process(COMMAND "${prefix}/bin/harness" man -o "${prefix}/share/man/man1" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${prefix}/bin/harness" completion bash
    OUTPUT_FILE "${prefix}/share/bash-completion/completions/harness" COMMAND_ERROR_IS_FATAL ANY)
]])

install(DIRECTORY ${CMAKE_SOURCE_DIR}/harness/core ${CMAKE_SOURCE_DIR}/harness/serving ${CMAKE_BINARY_DIR}/generated/harness/serving
  DESTINATION include/harness FILES_MATCHING PATTERN "*.h" PATTERN build_info.h EXCLUDE)
# What was compiled with the headers that were there before is compiled again, whatever their age.
install(CODE [[
  file(GLOB_RECURSE headers "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/include/harness/*.h")
  file(TOUCH ${headers})
]])
install(TARGETS harness_core harness_serving ARCHIVE DESTINATION lib/harness)
configure_file(${CMAKE_SOURCE_DIR}/cmake/harnessConfig.cmake ${CMAKE_BINARY_DIR}/harnessConfig.cmake COPYONLY)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/harnessConfigVersion.cmake COMPATIBILITY ExactVersion)
install(FILES ${CMAKE_BINARY_DIR}/harnessConfig.cmake ${CMAKE_BINARY_DIR}/harnessConfigVersion.cmake
  DESTINATION lib/cmake/harness)
