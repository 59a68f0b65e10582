/* export.h - marks the symbols that the library shows: everything else is hidden */
#ifndef TORUS_A2A_EXPORT_H
#define TORUS_A2A_EXPORT_H

#define EXPORT __attribute__((visibility("default")))

#endif
