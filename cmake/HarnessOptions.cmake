# Compiler settings. Results must be bit-identical for gcc and clang, in release and sanitizer builds:
# no fast-math, no contraction of a*b+c into a fused operation, the x86-64 baseline instruction set.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(HARNESS_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize=")
option(HARNESS_FUZZ "Build the libFuzzer targets (clang only)" OFF)
option(HARNESS_WERROR "Warnings are errors; off for compilers whose warnings nobody has looked at" ON)

add_library(harness_options INTERFACE)
target_compile_options(harness_options INTERFACE
  $<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wshadow;-Wconversion;-Wno-sign-conversion;-Wpedantic;-ffp-contract=off>)
if(HARNESS_WERROR)
  target_compile_options(harness_options INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-Werror>)
endif()
# GCC 12 reports overlaps in std::string's operator+ that cannot happen (GCC bug 105651).
target_compile_options(harness_options INTERFACE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
# No path of the sources in the programs: they may be moved (the program's files: home_folder()).
target_compile_options(harness_options INTERFACE $<$<COMPILE_LANGUAGE:C,CXX>:-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/=>)
target_include_directories(harness_options INTERFACE ${CMAKE_SOURCE_DIR})
if(HARNESS_SANITIZE)
  target_compile_options(harness_options INTERFACE -fsanitize=${HARNESS_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(harness_options INTERFACE -fsanitize=${HARNESS_SANITIZE})
  # GCC 12 reports false positives of these two under the sanitizers' instrumentation.
  target_compile_options(harness_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
    $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
endif()
if(HARNESS_FUZZ)
  target_compile_options(harness_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Several sources are compiled as one, which takes 40 % of the time: each header once for eight of them. With OFF a change
# to one source compiles that one alone.
option(CMAKE_UNITY_BUILD "Compile the sources of a target in groups" ON)

find_program(HARNESS_CCACHE ccache)
if(HARNESS_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${HARNESS_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${HARNESS_CCACHE})
endif()
