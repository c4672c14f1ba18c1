// Completion in bash, zsh and fish themselves: what each offers for a line is what the list of commands has.

import { spawnSync } from "node:child_process"
import { writeFile } from "node:fs/promises"
import path from "node:path"
import { COMMANDS } from "../../../cli/commands/commands.ts"
import { completion, SHELLS, type Shell } from "../../../cli/completion.ts"
import type { Check } from "../../crash/evidence.ts"

/** Lines, the last word not yet done. */
const LINES: readonly (readonly string[])[] = [
  ["ru"],
  ["flows", "sh"],
  ["run", "--re"],
  ["flows", "show", "--"],
  ["show", "--"],
  ["catalog", "p"],
]

function expected(line: readonly string[]): readonly string[] {
  const typed = line.slice(0, -1).join(" ")
  const begun = line.at(-1) ?? ""
  const own = COMMANDS.find(({ name }) => name === typed)
  const words = begun.startsWith("-")
    ? [
        ...(own?.options ?? []).flatMap(({ flags, isOld }) => (isOld === true ? [] : (flags.match(/--[a-z-]+/g) ?? []))),
        "--json",
        "--help",
        "--url",
        "--key",
        "--profile",
        "--env",
      ]
    : COMMANDS.flatMap(({ name }) =>
        name.startsWith(typed === "" ? "" : `${typed} `) ? [name.slice(typed === "" ? 0 : typed.length + 1).split(" ")[0] ?? ""] : [],
      )
  return [...new Set(words)].filter((word) => word.startsWith(begun)).sort()
}

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(" ")
const SCRIPTS: Readonly<Record<Shell, (file: string, line: readonly string[]) => readonly string[]>> = {
  bash: (file, line) => [
    "--norc",
    "-c",
    `source ${file}; COMP_WORDS=(sluice ${quoted(line)}); COMP_CWORD=${line.length}; _sluice; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  // Outside its line editor, its own parts say what they were given.
  zsh: (file, line) => [
    "-f",
    "-c",
    `compdef() { : }; _files() { : }; compadd() { shift; print -l -- "$@" }; _describe() { print -l -- \${(P)2%%:*} }
     source ${file}; words=(sluice ${quoted(line)}); CURRENT=${line.length + 1}; _sluice`,
  ],
  fish: (file, line) => ["-c", `source ${file}; complete -C "sluice ${line.join(" ")}"`],
}

/** A shell that is not here is named and left out; CI installs all three. */
export async function completionChecks(folder: string): Promise<readonly Check[]> {
  const checks: Check[] = []
  for (const shell of SHELLS) {
    if (spawnSync(shell, ["--version"]).status !== 0) {
      console.log(`there is no ${shell} here: its completion was not tried`)
      continue
    }
    const file = path.join(folder, `sluice.${shell}`)
    await writeFile(file, completion(shell, COMMANDS))
    for (const line of LINES) {
      const done = spawnSync(shell, SCRIPTS[shell](file, line), { encoding: "utf8" })
      const begun = line.at(-1) ?? ""
      // fish adds what it says of a word, after a tab; zsh filters later.
      const words = done.stdout.split("\n").flatMap((word) => (word === "" ? [] : [word.split("\t")[0] ?? ""]))
      const found = [...new Set(words.filter((word) => word.startsWith(begun)))].sort().join(" ")
      const wanted = expected(line).join(" ")
      checks.push({
        name: `completion in ${shell}`,
        fault: found === wanted ? undefined : `${line.join(" ")}: ${found}, not ${wanted}${done.stderr}`,
      })
    }
  }
  return checks
}
