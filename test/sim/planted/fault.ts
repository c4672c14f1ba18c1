// Fault: what is planted in the service's code, alone, to see whether the simulator finds it. A patch is a text that occurs exactly once in its file.

import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { Mutant } from "../../../scripts/mutants/mutant.ts"
import { SHELL_RUN } from "../../../scripts/mutants/shell-run.ts"
import { SHELL_TENANT } from "../../../scripts/mutants/shell-tenant.ts"
import type { Planted } from "../platform/machines.ts"

export interface PlantedFault {
  readonly name: string
  readonly patches: readonly Planted[]
  /** No answer is wrong, only too much is done: so many times as many calls of this method as without the fault are a finding. */
  readonly costs?: { readonly method: string; readonly times: number }
}

const root = fileURLToPath(new URL("../../..", import.meta.url))

/** The patch of `npm run mutants` that has this name: a fault is written once. */
export function known(name: string): Planted {
  const mutant: Mutant | undefined = [...SHELL_RUN, ...SHELL_TENANT].find((it) => it.name === name)
  if (!mutant) throw new Error(`no mutant is named ${name}`)
  return { file: `src/${mutant.file}`, from: mutant.find, to: mutant.put }
}

/** What keeps a fault from being planted today. */
export function misfits({ name, patches }: PlantedFault): string[] {
  const texts = new Map<string, string>()
  const wrong: string[] = []
  for (const { file, from, to } of patches) {
    const text = texts.get(file) ?? readFileSync(`${root}${file}`, "utf8")
    if (text.split(from).length !== 2) wrong.push(`${name}: ${file} has ${text.split(from).length - 1} times: ${from}`)
    texts.set(
      file,
      text.replace(from, () => to),
    )
  }
  return wrong
}
