# find_package(harness): what systems outside the tree are compiled against.
#
#   harness_system(NAME SOURCES FILE... [TEST FILE...])
#
# NAME.so, a shared library for `[[system]] library = "NAME.so"`, and with enable_testing() the tests
#   NAME.conformance            the laws of every cell hold for its systems
#   NAME.conformance_sanitized  the same, the library compiled with the address and undefined-behaviour sanitizers
#   NAME.unit                   the FILEs of TEST, with GoogleTest (libgtest-dev)
get_filename_component(HARNESS_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(HARNESS_PROGRAM ${HARNESS_PREFIX}/bin/harness)

if(NOT TARGET harness::headers)
  add_library(harness::headers INTERFACE IMPORTED)
  set_target_properties(harness::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${HARNESS_PREFIX}/include
    INTERFACE_COMPILE_FEATURES cxx_std_20
    INTERFACE_COMPILE_OPTIONS "-ffp-contract=off")  # the same results with every compiler
  # For tests alone: a library takes these from the program that loads it.
  foreach(part core serving)
    add_library(harness::${part} STATIC IMPORTED)
    set_target_properties(harness::${part} PROPERTIES IMPORTED_LOCATION ${HARNESS_PREFIX}/lib/harness/libharness_${part}.a
      INTERFACE_LINK_LIBRARIES harness::headers)
  endforeach()
  set_property(TARGET harness::serving APPEND PROPERTY INTERFACE_LINK_LIBRARIES harness::core)
endif()

function(harness_system name)
  cmake_parse_arguments(ARG "" "" "SOURCES;TEST" ${ARGN})
  if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
  endif()
  set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  foreach(kind "" _sanitized)
    add_library(${name}${kind} MODULE ${ARG_SOURCES})
    target_link_libraries(${name}${kind} PRIVATE harness::headers)
    set_target_properties(${name}${kind} PROPERTIES PREFIX "" CXX_EXTENSIONS OFF)
    add_test(NAME ${name}.conformance${kind} COMMAND ${HARNESS_PREFIX}/bin/harness-conformance $<TARGET_FILE:${name}${kind}>)
  endforeach()
  target_compile_options(${name} PRIVATE -Wall -Wextra -Wshadow)
  target_compile_options(${name}_sanitized PRIVATE ${sanitizers} -O1)
  target_link_options(${name}_sanitized PRIVATE ${sanitizers})
  # The program has no sanitizers in it: the library's must be loaded before all else.
  set(preload "")
  foreach(runtime asan ubsan)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=lib${runtime}.so OUTPUT_VARIABLE file OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(IS_ABSOLUTE "${file}")
      string(APPEND preload ":${file}")
    endif()
  endforeach()
  set_tests_properties(${name}.conformance_sanitized PROPERTIES ENVIRONMENT "LD_PRELOAD=${preload};ASAN_OPTIONS=detect_leaks=0")
  if(NOT ARG_TEST)
    return()
  endif()
  find_package(GTest QUIET)
  if(NOT GTest_FOUND)
    message(STATUS "${name}: no GoogleTest here (libgtest-dev), so no ${name}.unit")
    return()
  endif()
  add_executable(${name}_test ${ARG_TEST} ${ARG_SOURCES})
  target_link_libraries(${name}_test PRIVATE harness::serving GTest::gtest_main)
  add_test(NAME ${name}.unit COMMAND ${name}_test)
endfunction()
