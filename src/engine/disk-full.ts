// Recognizes errors of SQLite, the platform and the operating system that mean that the disk accepts no writes.

const DISK_FULL = /SQLITE_FULL|database or disk is full|No space left on device|ENOSPC|EDQUOT/
const READ_ONLY = /SQLITE_READONLY|attempt to write a readonly database|Read-only file system|EROFS/
const BROKEN = /SQLITE_IOERR|disk I\/O error|SQLITE_CANTOPEN|unable to open database file/

const says = (error: unknown, what: RegExp): boolean => error instanceof Error && what.test(error.message)

export const isDiskFull = (error: unknown): boolean => says(error, DISK_FULL)
export const isReadOnly = (error: unknown): boolean => says(error, READ_ONLY)
/** Tells whether the error means a read-only or failing disk. */
export const isDiskFaulty = (error: unknown): boolean => says(error, READ_ONLY) || says(error, BROKEN)
