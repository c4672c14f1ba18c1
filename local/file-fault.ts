// Words the file system's errors: which file, why, and what to do. A person can fix them, so they are reported without a stack.

/** Code of the system → why, and what to do about it. */
const SAYS: Readonly<Record<string, string>> = {
  EACCES: "permission denied: change its owner, or use another folder",
  EPERM: "permission denied: change its owner, or use another folder",
  EROFS: "it is on a disk that cannot be written: use another folder",
  ENOSPC: "the disk is full: make room",
  EDQUOT: "the user's share of the disk is full: make room",
  EEXIST: "a file is in its place: move it away",
  ENOTDIR: "a file is where a folder belongs: move it away",
  EISDIR: "a folder is where a file belongs: move it away",
  ENOENT: "it is not there",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "its links lead in a circle",
  EMFILE: "too many files are open: raise the limit (ulimit -n)",
  ENFILE: "too many files are open on this machine",
  EBUSY: "another program uses it: close that first",
}

/** `FILE: why`; undefined: it is no fault of the file system. `file`: the name that the person knows it by. */
export function fileFault(error: unknown, file?: string): string | undefined {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined
  const named = file ?? ("path" in error && typeof error.path === "string" ? error.path : undefined)
  const why = SAYS[String(error.code)]
  // Calls of the network have neither.
  if (named === undefined || why === undefined) return undefined
  return `${named} cannot be ${VERBS[String(error.syscall)] ?? "used"}: ${why} (${String(error.code)})`
}

const VERBS: Readonly<Record<string, string>> = { mkdir: "made", scandir: "read", read: "read", write: "written" }
