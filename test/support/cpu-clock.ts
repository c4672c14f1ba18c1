// How long this thread has worked, in milliseconds. What others do on this machine at the same time is not counted: a limit that only the
// wrong algorithm passes is passed by no busy machine.

/** Begins to count; what it gives back tells how much it was until now. */
export function cpuClock(): () => number {
  const began = process.threadCpuUsage()
  return () => {
    const { user, system } = process.threadCpuUsage(began)
    return (user + system) / 1_000
  }
}
