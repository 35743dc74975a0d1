#pragma once

/// Does nothing with the memory at an address, but the optimiser must assume that it is read.
void black_hole(const void *address);
