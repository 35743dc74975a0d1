// A function in another language and file, whose body the optimiser must take to read all memory.
#include "CBlackHole.h"

void black_hole(const void *address) { __asm__ volatile("" : : "r"(address) : "memory"); }
