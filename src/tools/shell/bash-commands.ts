// Shell commands that replace the library's own [T20]: xargs parses its options too strictly for common usage.

import type { Command } from "just-bash/browser"

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

export const COMMANDS: Command[] = [xargs]
