// A function in another language and file, so that the optimiser must assume that it reads all memory.
#include "CBlackHole.h"

void black_hole(const void *address) { __asm__ volatile("" : : "r"(address) : "memory"); }
