// How long this thread has worked, in milliseconds. Other processes' time on this machine does not count: a limit that only the
// wrong algorithm exceeds is never exceeded because of a busy machine.

/** Starts counting; the returned function gives the time so far. */
export function cpuClock(): () => number {
  const began = process.threadCpuUsage()
  return () => {
    const { user, system } = process.threadCpuUsage(began)
    return (user + system) / 1_000
  }
}
