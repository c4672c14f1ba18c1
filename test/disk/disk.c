// A disk that fails when it is told to: preloaded (LD_PRELOAD) into workerd, it stands between SQLite and the system. Calls below the folder
// DISK_FOLDER fail, or take long, as a page of shared memory says, the file DISK_SWITCH, which a trial writes (switch.ts has the same layout).
// Processes other than workerd, and files elsewhere, are left alone.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { WRITE, SYNC, OPEN, KINDS };

struct shared {
  // What the trial says, for each kind: the error, how many calls more have it (below 0: all), and how long a call takes.
  struct { int32_t error, left, ms; } say[KINDS];
  // What this library has seen: processes it is in, and for each kind the calls, and those that failed.
  int32_t processes;
  struct { int32_t calls, failed; } seen[KINDS];
};

static struct shared *page;
static char folder[PATH_MAX];
static size_t length;

__attribute__((constructor)) static void load(void) {
  char exe[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
  if (n <= 0) return;
  exe[n] = 0;
  const char *name = strrchr(exe, '/');
  const char *where = getenv("DISK_FOLDER"), *file = getenv("DISK_SWITCH");
  if (!name || strncmp(name + 1, "workerd", 7) != 0 || !where || !file || !realpath(where, folder)) return;
  length = strlen(folder);
  int fd = open(file, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void *at = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (at == MAP_FAILED) return;
  page = at;
  __atomic_add_fetch(&page->processes, 1, __ATOMIC_SEQ_CST);
}

static int is_below(const char *path) { return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == 0); }

static int is_fd_below(int fd) {
  char link[32] = "/proc/self/fd/", path[PATH_MAX];
  char digits[12];
  int n = 0, at = (int)strlen(link);
  if (fd < 0) return 0;
  do digits[n++] = (char)('0' + fd % 10); while ((fd /= 10) > 0);
  while (n > 0) link[at++] = digits[--n];
  link[at] = 0;
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size <= 0) return 0;
  path[size] = 0;
  return is_below(path);
}

static int is_path_below(int dir, const char *path) {
  if (path[0] == '/') return is_below(path);
  if (dir != AT_FDCWD) return is_fd_below(dir);
  char here[PATH_MAX];
  return getcwd(here, sizeof here) && is_below(here);
}

// 0: the call may go to the system; otherwise errno is set.
static int fails(int kind) {
  __atomic_add_fetch(&page->seen[kind].calls, 1, __ATOMIC_RELAXED);
  int32_t ms = __atomic_load_n(&page->say[kind].ms, __ATOMIC_SEQ_CST);
  if (ms > 0) {
    struct timespec time = {ms / 1000, (ms % 1000) * 1000000L};
    nanosleep(&time, NULL);
  }
  int32_t error = __atomic_load_n(&page->say[kind].error, __ATOMIC_SEQ_CST);
  if (error == 0) return 0;
  int32_t left = __atomic_load_n(&page->say[kind].left, __ATOMIC_SEQ_CST);
  do
    if (left == 0) return 0;
  while (left > 0 && !__atomic_compare_exchange_n(&page->say[kind].left, &left, left - 1, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  __atomic_add_fetch(&page->seen[kind].failed, 1, __ATOMIC_RELAXED);
  errno = error;
  return -1;
}

static int on_fd(int kind, int fd) {
  int kept = errno;
  if (!page || !is_fd_below(fd)) { errno = kept; return 0; }
  errno = kept;
  return fails(kind);
}

static int on_path(int kind, int dir, const char *path) {
  int kept = errno;
  if (!page || !path || !is_path_below(dir, path)) { errno = kept; return 0; }
  errno = kept;
  return fails(kind);
}

#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *from, size_t n) { REAL(write); return on_fd(WRITE, fd) ? -1 : real(fd, from, n); }
ssize_t pwrite(int fd, const void *from, size_t n, off_t at) { REAL(pwrite); return on_fd(WRITE, fd) ? -1 : real(fd, from, n, at); }
ssize_t pwrite64(int fd, const void *from, size_t n, off64_t at) { REAL(pwrite64); return on_fd(WRITE, fd) ? -1 : real(fd, from, n, at); }
ssize_t writev(int fd, const struct iovec *from, int n) { REAL(writev); return on_fd(WRITE, fd) ? -1 : real(fd, from, n); }
ssize_t pwritev(int fd, const struct iovec *from, int n, off_t at) { REAL(pwritev); return on_fd(WRITE, fd) ? -1 : real(fd, from, n, at); }
ssize_t pwritev64(int fd, const struct iovec *from, int n, off64_t at) { REAL(pwritev64); return on_fd(WRITE, fd) ? -1 : real(fd, from, n, at); }
int ftruncate(int fd, off_t size) { REAL(ftruncate); return on_fd(WRITE, fd) ? -1 : real(fd, size); }
int ftruncate64(int fd, off64_t size) { REAL(ftruncate64); return on_fd(WRITE, fd) ? -1 : real(fd, size); }
int fallocate(int fd, int mode, off_t at, off_t n) { REAL(fallocate); return on_fd(WRITE, fd) ? -1 : real(fd, mode, at, n); }
int fallocate64(int fd, int mode, off64_t at, off64_t n) { REAL(fallocate64); return on_fd(WRITE, fd) ? -1 : real(fd, mode, at, n); }
int fsync(int fd) { REAL(fsync); return on_fd(SYNC, fd) ? -1 : real(fd); }
int fdatasync(int fd) { REAL(fdatasync); return on_fd(SYNC, fd) ? -1 : real(fd); }

// A full disk opens what exists; one that is read-only opens nothing for writing.
static int opens(int dir, const char *path, int flags) {
  if ((flags & O_ACCMODE) == O_RDONLY && (flags & (O_CREAT | O_TRUNC)) == 0) return 0;
  int kept = errno;
  int is_new = (flags & O_CREAT) && path && faccessat(dir, path, F_OK, 0) != 0;
  errno = kept;
  if (page && !is_new && __atomic_load_n(&page->say[OPEN].error, __ATOMIC_SEQ_CST) == ENOSPC) return 0;
  return on_path(OPEN, dir, path);
}

#define MODE(mode, flags) \
  mode_t mode = 0; \
  if (((flags) & O_CREAT) || ((flags) & O_TMPFILE) == O_TMPFILE) { va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); }

int open(const char *path, int flags, ...) {
  REAL(open);
  MODE(mode, flags)
  return opens(AT_FDCWD, path, flags) ? -1 : real(path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  REAL(open64);
  MODE(mode, flags)
  return opens(AT_FDCWD, path, flags) ? -1 : real(path, flags, mode);
}
int openat(int dir, const char *path, int flags, ...) {
  REAL(openat);
  MODE(mode, flags)
  return opens(dir, path, flags) ? -1 : real(dir, path, flags, mode);
}
int openat64(int dir, const char *path, int flags, ...) {
  REAL(openat64);
  MODE(mode, flags)
  return opens(dir, path, flags) ? -1 : real(dir, path, flags, mode);
}
// Names change only on a disk that can be written; what is full lets go of them.
int mkdir(const char *path, mode_t mode) { REAL(mkdir); return on_path(OPEN, AT_FDCWD, path) ? -1 : real(path, mode); }
int mkdirat(int dir, const char *path, mode_t mode) { REAL(mkdirat); return on_path(OPEN, dir, path) ? -1 : real(dir, path, mode); }
int renameat(int a, const char *from, int b, const char *to) { REAL(renameat); return on_path(OPEN, b, to) ? -1 : real(a, from, b, to); }
int rename(const char *from, const char *to) { REAL(rename); return on_path(OPEN, AT_FDCWD, to) ? -1 : real(from, to); }
int linkat(int a, const char *from, int b, const char *to, int flags) { REAL(linkat); return on_path(OPEN, b, to) ? -1 : real(a, from, b, to, flags); }
static int is_read_only(void) { return page && __atomic_load_n(&page->say[OPEN].error, __ATOMIC_SEQ_CST) == EROFS; }
int unlink(const char *path) { REAL(unlink); return is_read_only() && on_path(OPEN, AT_FDCWD, path) ? -1 : real(path); }
int unlinkat(int dir, const char *path, int flags) { REAL(unlinkat); return is_read_only() && on_path(OPEN, dir, path) ? -1 : real(dir, path, flags); }
