/** A POSIX error message: the shell's commands recognize errors by it. */
export const fault = (code: string, what: string, call: string, path: string): Error => new Error(`${code}: ${what}, ${call} '${path}'`)
