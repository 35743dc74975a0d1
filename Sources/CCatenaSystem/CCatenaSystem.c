#include "CCatenaSystem.h"
