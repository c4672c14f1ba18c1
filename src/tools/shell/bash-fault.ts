/** Creates POSIX errors, which the shell's commands recognize by their message. */
export const fault = (code: string, what: string, call: string, path: string): Error => new Error(`${code}: ${what}, ${call} '${path}'`)
