/* misspelt.h - the name that a user may have meant */
#ifndef TORUS_A2A_MISSPELT_H
#define TORUS_A2A_MISSPELT_H

#include <stddef.h>

/* Returns a name by its number. Names are written in capitals. */
typedef const char *misspelt_name_fn(size_t i);

/* Returns the nearest of num names, or NULL if none is near. Small letters in name count as
   capitals. */
const char *misspelt_nearest(const char *name, misspelt_name_fn *name_of, size_t num);

#endif
