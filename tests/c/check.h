/* What tests in C share. Each test is one file. */
#ifndef CHECK_H_
#define CHECK_H_

#include <skinmask.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

#define CHECK(condition)                                                                     \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, skinmask_error()); \
      ++failures;                                                                            \
    }                                                                                        \
  } while (0)

/* The last error's text begins so. */
#define CHECK_SAYS(text) CHECK(strncmp(skinmask_error(), text, strlen(text)) == 0)

static inline char* Joined(const char* a, const char* b) {
  char* const text = malloc(strlen(a) + strlen(b) + 1);
  strcpy(text, a);
  return strcat(text, b);
}

#endif
