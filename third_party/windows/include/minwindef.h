// The header of Windows that every other one of it includes, without its macros `near` and `far`:
// they date from 16 bits, and take these words away from all that is read after it.
#pragma once
#pragma GCC system_header
#include_next <minwindef.h>

#undef near
#undef far
#undef NEAR
#undef FAR
#define NEAR
#define FAR
