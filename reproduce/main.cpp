#include "reproduce/cli.h"

int main(int count, char** arguments) { return reprise::reproduce::run_command_line(count, arguments, reprise::reproduce::studies()); }
