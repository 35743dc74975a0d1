#pragma once

/// Does nothing with what is at an address, which no optimiser can know.
void black_hole(const void *address);
