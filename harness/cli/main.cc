#include "harness/cli/program.h"

int main(int argc, char** argv) { return harness::run_program(argc, argv); }
