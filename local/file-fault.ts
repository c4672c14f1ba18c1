// Describes file system errors: which file, why, and what to do. A person can fix them, so they have no stack.

/** Code of the system → why, and what to do about it. */
const SAYS: Readonly<Record<string, string>> = {
  EACCES: "permission denied: change its owner, or use another folder",
  EPERM: "permission denied: change its owner, or use another folder",
  EROFS: "its disk is read-only: use another folder",
  ENOSPC: "the disk is full: free some space",
  EDQUOT: "the user's disk quota is used up: free some space",
  EEXIST: "a file is in its place: move it away",
  ENOTDIR: "a file is where a folder belongs: move it away",
  EISDIR: "a folder is where a file belongs: move it away",
  ENOENT: "it does not exist",
  ENAMETOOLONG: "the name is too long",
  ELOOP: "its links form a loop",
  EMFILE: "too many files are open: raise the limit (ulimit -n)",
  ENFILE: "too many files are open on this machine",
  EBUSY: "another program is using it: close that program first",
}

/** `FILE: why`; undefined: not a file system error. `file`: the name that the person knows. */
export function fileFault(error: unknown, file?: string): string | undefined {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined
  const named = file ?? ("path" in error && typeof error.path === "string" ? error.path : undefined)
  const why = SAYS[String(error.code)]
  // Calls of the network have neither.
  if (named === undefined || why === undefined) return undefined
  return `${named} cannot be ${VERBS[String(error.syscall)] ?? "used"}: ${why} (${String(error.code)})`
}

const VERBS: Readonly<Record<string, string>> = { mkdir: "made", scandir: "read", read: "read", write: "written" }
