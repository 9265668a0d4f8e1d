/*
 * Fails reads with EIO as a failing disk does: those of files whose path begins with
 * $FAILING_FILES, while the file $FAILING_READS has a byte left, which each of them takes. "k" lets
 * a read pass, and any other byte fails it. Loaded before the C library (LD_PRELOAD).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* Returns true if a file is one of those that fail. */
static int is_failing(int file) {
  const char *beginning = getenv("FAILING_FILES");
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (beginning == NULL || length < 0) return 0;
  path[length] = 0;
  return strncmp(path, beginning, strlen(beginning)) == 0;
}

/* Takes the last byte of the file of failures. Returns true if it fails a read. */
static int takes_failure(void) {
  const char *name = getenv("FAILING_READS");
  int failures = name == NULL ? -1 : open(name, O_RDWR | O_CLOEXEC);
  if (failures < 0) return 0;
  char byte = 'k';
  struct stat stats;
  pthread_mutex_lock(&one_at_a_time);
  if (fstat(failures, &stats) == 0 && stats.st_size > 0) {
    lseek(failures, stats.st_size - 1, SEEK_SET);
    if (read(failures, &byte, 1) == 1 && ftruncate(failures, stats.st_size - 1) != 0) byte = 'k';
  }
  pthread_mutex_unlock(&one_at_a_time);
  close(failures);
  return byte != 'k';
}

static ssize_t read_at(int file, void *bytes, size_t length, off64_t at) {
  if (is_failing(file) && takes_failure()) {
    errno = EIO;
    return -1;
  }
  ssize_t (*real)(int, void *, size_t, off64_t) = dlsym(RTLD_NEXT, "pread64");
  return real(file, bytes, length, at);
}

ssize_t pread64(int file, void *bytes, size_t length, off64_t at) {
  return read_at(file, bytes, length, at);
}

ssize_t pread(int file, void *bytes, size_t length, off_t at) {
  return read_at(file, bytes, length, at);
}
