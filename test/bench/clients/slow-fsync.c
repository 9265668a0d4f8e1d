/*
 * Slows every flush to the disk down by two milliseconds, as a disk without a cache of its own
 * would, or by the milliseconds in SLOW_FSYNC_MS. Loaded before the C library (LD_PRELOAD), so that its functions are found first.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static int after_a_while(const char *name, int file) {
  int (*flush)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  const char *given = getenv("SLOW_FSYNC_MS");
  long ms = given ? atol(given) : 2;
  struct timespec while_ = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&while_, 0);
  return flush(file);
}

int fsync(int file) { return after_a_while("fsync", file); }

int fdatasync(int file) { return after_a_while("fdatasync", file); }
