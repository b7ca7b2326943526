# Every library the project uses, found in one place. `ci/setup` installs them.
find_package(MPI REQUIRED COMPONENTS C)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(ZLIB REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(tomlplusplus REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Boost 1.74 REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)

# GLPK has no CMake files of its own.
find_path(GLPK_INCLUDE_DIR glpk.h)
find_library(GLPK_LIBRARY glpk)
if(NOT GLPK_INCLUDE_DIR OR NOT GLPK_LIBRARY)
  message(FATAL_ERROR "GLPK not found: run ci/setup, or install libglpk-dev")
endif()
add_library(GLPK::glpk UNKNOWN IMPORTED)
set_target_properties(GLPK::glpk PROPERTIES
  IMPORTED_LOCATION ${GLPK_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${GLPK_INCLUDE_DIR})

# The Python that has h5py and matplotlib (Debian's); another python3 may come first on PATH.
set(HARNESS_PYTHON "" CACHE FILEPATH "Python with h5py, numpy and matplotlib")
if(NOT HARNESS_PYTHON)
  foreach(candidate /usr/bin/python3 python3)
    execute_process(COMMAND ${candidate} -c "import h5py, numpy, matplotlib"
      RESULT_VARIABLE missing OUTPUT_QUIET ERROR_QUIET)
    if(missing EQUAL 0)
      find_program(HARNESS_PYTHON_PATH ${candidate})
      set(HARNESS_PYTHON ${HARNESS_PYTHON_PATH} CACHE FILEPATH "" FORCE)
      break()
    endif()
  endforeach()
endif()
if(NOT HARNESS_PYTHON)
  message(FATAL_ERROR "No Python with h5py, numpy and matplotlib found: run ci/setup, or set HARNESS_PYTHON")
endif()
