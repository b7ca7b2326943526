# harness_library(NAME SOURCES... [LINK ...]): a static library with the project's options.
function(harness_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC harness_options ${ARG_LINK})
endfunction()

# Builds every test program labelled ...unit (the sanitizer builds need no more).
add_custom_target(unit_tests)

# harness_bundled(TARGET): part of what `ci/gpu-node pack` takes to a machine with a GPU. It stands there where it stands in the
# build folder; its libraries are in lib or come from the environment. The target `bundle` builds all.
add_custom_target(bundle)
function(harness_bundled target)
  foreach(kind RUNTIME LIBRARY)
    get_target_property(place ${target} ${kind}_OUTPUT_DIRECTORY)
    if(NOT place)
      set(place ${CMAKE_CURRENT_BINARY_DIR})
    endif()
    cmake_path(RELATIVE_PATH place BASE_DIRECTORY ${CMAKE_BINARY_DIR} OUTPUT_VARIABLE ${kind}_place)
  endforeach()
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
  install(TARGETS ${target} RUNTIME DESTINATION ${RUNTIME_place} COMPONENT bundle EXCLUDE_FROM_ALL
    LIBRARY DESTINATION ${LIBRARY_place} COMPONENT bundle EXCLUDE_FROM_ALL)
  add_dependencies(bundle ${target})
endfunction()

# harness_test(NAME SOURCES... [LINK ...] [TIMEOUT S] [SLOW] [ONE_PROCESS] [ON_GPU]): a GoogleTest program, one CTest entry per
# case; with ONE_PROCESS one for all, where starting the program takes longer than its cases (LibTorch), and so under sanitizers
# unless it is SLOW. SLOW and ONE_PROCESS are labelled slow-unit, the others quick-unit. Those with ON_GPU are bundled, and run one
# at a time: processes share a GPU in turns of milliseconds. Of CTest's slots (ctest -j: twice the cores) a test that computes takes
# two, one that mostly waits one.
function(harness_test name)
  cmake_parse_arguments(ARG "SLOW;ONE_PROCESS;ON_GPU" "TIMEOUT" "SOURCES;LINK" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 300)
    if(HARNESS_SANITIZE)
      set(ARG_TIMEOUT 900)
    endif()
  endif()
  set(label quick-unit)  # one word: gtest_discover_tests() takes lists apart
  if(ARG_SLOW OR ARG_ONE_PROCESS)
    set(label slow-unit)
  endif()
  set(properties LABELS ${label} TIMEOUT ${ARG_TIMEOUT} PROCESSORS 2
    ENVIRONMENT HARNESS_CACHE=${CMAKE_BINARY_DIR}/cache)
  if(ARG_ON_GPU)
    list(APPEND properties RESOURCE_LOCK gpu)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} harness_options GTest::gtest GTest::gtest_main)
  add_dependencies(unit_tests ${name})
  if(ARG_ON_GPU)
    harness_bundled(${name})
  endif()
  # Tests take less time to compile so; what they test is optimised as ever. As under the
  # sanitizers, gcc 12 then reports false positives.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
  if(ARG_ONE_PROCESS OR (HARNESS_SANITIZE AND NOT ARG_SLOW))
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES ${properties})
    return()
  endif()
  gtest_discover_tests(${name} NO_PRETTY_VALUES WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} DISCOVERY_TIMEOUT 60
    PROPERTIES ${properties})
endfunction()

# harness_skipped_test(NAME WHY): what stands in CTest's list in place of a test that cannot be built here.
function(harness_skipped_test name why)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${why}")
  set_tests_properties(${name} PROPERTIES LABELS quick-unit SKIP_REGULAR_EXPRESSION "^skipped: ")
endfunction()

include(GoogleTest)
