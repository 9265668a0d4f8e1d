/*
 * Records, in order, everything that a process does to files whose path begins with
 * $RECORD_FILES: writes, truncations, removals and flushes. Loaded before the C library
 * (LD_PRELOAD), so that its functions are found first.
 *
 * A record in $RECORD_TO is a line "<what> <offset or size> <length> <name>", and after the line of
 * a write the bytes. The name is what follows the common beginning of the path.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static int output = -1;

static const char *name_of_path(const char *path) {
  const char *beginning = getenv("RECORD_FILES");
  if (beginning == NULL || strncmp(path, beginning, strlen(beginning)) != 0) return NULL;
  return path + strlen(beginning);
}

static const char *name_of_file(int file, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return NULL;
  path[length] = 0;
  return name_of_path(path);
}

static void record(char what, long long at, const void *bytes, size_t length, const char *name) {
  char line[PATH_MAX + 64];
  int size = snprintf(line, sizeof line, "%c %lld %zu %s\n", what, at, length, name);
  if (output < 0) {
    output = open(getenv("RECORD_TO"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
  syscall(SYS_write, output, line, size);
  if (length > 0) syscall(SYS_write, output, bytes, length);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define LOCKED(result, call)            \
  pthread_mutex_lock(&one_at_a_time);   \
  result = call;

static ssize_t write_at(int file, const void *bytes, size_t length, long long at) {
  char path[PATH_MAX];
  const char *name = name_of_file(file, path);
  ssize_t (*real)(int, const void *, size_t, off64_t) = REAL(pwrite64);
  if (name == NULL) return real(file, bytes, length, at);
  ssize_t done;
  LOCKED(done, real(file, bytes, length, at));
  if (done > 0) record('w', at, bytes, done, name);
  pthread_mutex_unlock(&one_at_a_time);
  return done;
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at) {
  return write_at(file, bytes, length, at);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) {
  return write_at(file, bytes, length, at);
}

static int truncate_to(int file, long long size) {
  char path[PATH_MAX];
  const char *name = name_of_file(file, path);
  int (*real)(int, off64_t) = REAL(ftruncate64);
  if (name == NULL) return real(file, size);
  int failed;
  LOCKED(failed, real(file, size));
  if (!failed) record('t', size, NULL, 0, name);
  pthread_mutex_unlock(&one_at_a_time);
  return failed;
}

int ftruncate64(int file, off64_t size) { return truncate_to(file, size); }

int ftruncate(int file, off_t size) { return truncate_to(file, size); }

static int flush(int file, int (*real)(int)) {
  char path[PATH_MAX];
  const char *name = name_of_file(file, path);
  if (name == NULL) return real(file);
  int failed;
  LOCKED(failed, real(file));
  if (!failed) record('s', 0, NULL, 0, name);
  pthread_mutex_unlock(&one_at_a_time);
  return failed;
}

int fsync(int file) { return flush(file, REAL(fsync)); }

int fdatasync(int file) { return flush(file, REAL(fdatasync)); }

int unlink(const char *path) {
  int (*real)(const char *) = REAL(unlink);
  const char *name = name_of_path(path);
  if (name == NULL) return real(path);
  int failed;
  LOCKED(failed, real(path));
  if (!failed) record('u', 0, NULL, 0, name);
  pthread_mutex_unlock(&one_at_a_time);
  return failed;
}
