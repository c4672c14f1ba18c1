// Replaces two of the library's shell commands [T20]: one that its limits do not bound, and one that parses its options too strictly for
// common usage.

import type { Command } from "just-bash/browser"

/** Comparing two texts takes time that grows with their differences, which the library's limits do not count: 4,000 lines with nothing in
 *  common take 0.7 s. */
const MOST_LINES = 4_000 // limit: lines of a text that `diff` compares → the command fails, and says why

const diff: Command = {
  name: "diff",
  async execute(args, ctx) {
    let lines = 0
    for (const arg of args) {
      if (arg.startsWith("-") && arg !== "-") continue
      const text: unknown = arg === "-" ? ctx.stdin : await ctx.fs.readFile(ctx.fs.resolvePath(ctx.cwd, arg)).catch(() => "")
      if (typeof text === "string") lines += text.split("\n").length
    }
    if (lines > MOST_LINES)
      return { stdout: "", stderr: `diff: ${lines} lines in all: this shell compares at most ${MOST_LINES}\n`, exitCode: 2 }
    return ctx.origCommand === undefined ? missing("diff") : ctx.origCommand(args)
  },
}

const xargs: Command = {
  name: "xargs",
  execute: async (args, ctx) => (ctx.origCommand === undefined ? missing("xargs") : ctx.origCommand(apart(args))),
}

/** `-n1`, `-I{}`, `-0P4`: the library accepts these options only with a space before the value. Words after the options belong to the command. */
function apart(args: readonly string[]): string[] {
  const out: string[] = []
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? ""
    if (!arg.startsWith("-") || arg === "--") return [...out, ...args.slice(i)]
    const [, flags = "", option, value = ""] = /^-([0tr]*)([IndP])([^]*)$/.exec(arg) ?? []
    if (option === undefined) out.push(arg)
    else out.push(...(flags === "" ? [] : [`-${flags}`]), `-${option}`, ...(value !== "" ? [value] : args.slice(++i, i + 1)))
  }
  return out
}

const missing = (name: string) => ({ stdout: "", stderr: `bash: ${name}: command not found\n`, exitCode: 127 })

export const COMMANDS: Command[] = [diff, xargs]
