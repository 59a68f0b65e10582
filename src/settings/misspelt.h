/* misspelt.h - warnings about TORUS_A2A_ variables that are no settings */
#ifndef TORUS_A2A_MISSPELT_H
#define TORUS_A2A_MISSPELT_H

#include "settings/settings.h"

/* Warns once about each variable of the environment whose name begins like the name of a
   setting and is none. The warning names the setting that the user may have meant. */
void misspelt_warn(settings_warn_fn *warn);

#endif
