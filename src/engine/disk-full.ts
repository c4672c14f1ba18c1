// Recognizes errors that say that the disk is full, as SQLite, the platform and the operating system word them.

const DISK_FULL = /SQLITE_FULL|database or disk is full|No space left on device|ENOSPC|EDQUOT/

export const isDiskFull = (error: unknown): boolean => error instanceof Error && DISK_FULL.test(error.message)
