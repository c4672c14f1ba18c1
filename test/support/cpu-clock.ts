// How long this thread has worked, in milliseconds. Other processes' time on this machine does not count: a limit that only the
// wrong algorithm exceeds is never exceeded because of a busy machine. A thread's time still doubles when its core is shared, so a limit is ten times what a
// quiet machine needs: what grows with the square takes a hundred times as long.

/** Starts counting; the returned function gives the time so far. */
export function cpuClock(): () => number {
  const began = process.threadCpuUsage()
  return () => {
    const { user, system } = process.threadCpuUsage(began)
    return (user + system) / 1_000
  }
}
