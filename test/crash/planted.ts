// Faults that a crash suite must find: `npm run crash -- --planted no-alarm`, `npm run crash:effects -- --planted early`. The Worker is built with
// the fault in it, and the suite passes when one of its checks fails.
//
// A fault is a textual patch, as those of `npm run mutants`: a text that does not occur exactly once is an error in this list and stops the suite.

import { build, type Plugin } from "esbuild"
import { readFile } from "node:fs/promises"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { buildWorker, workerSettings } from "../../local/build.ts"
import type { Check } from "./evidence.ts"
import { sayVerdict } from "./verdict.ts"

interface Patch {
  /** Under src. */
  readonly file: string
  readonly find: string
  readonly put: string
}

export interface Planted {
  readonly name: string
  readonly patches: readonly Patch[]
  /** What the check that must fail is called begins with this. */
  readonly law: string
}

const NO_WATCHDOG: Patch = {
  file: "engine/run/conduct/next-alarm.ts",
  find: "  if (Object.keys(run.underway).length > 0) times.push(now + WATCHDOG_MS)\n",
  put: "",
}

/** Of `npm run crash`. */
export const ALARMS: readonly Planted[] = [
  // The alarm of a start rings once, and hides it from whoever kills soon after.
  { name: "no-alarm", patches: [NO_WATCHDOG], law: "[J12]" },
]

const LEAVES_FIRST: Patch = {
  file: "engine/run/conductor.ts",
  find: "    const begins = (effect: Effect): boolean => this.#stage.holding?.isInHouse(run, effect) === true\n",
  put: "    const begins = (_: Effect): boolean => true\n",
}

/** Of `npm run crash:effects`. */
export const EARLY: readonly Planted[] = [
  {
    name: "early",
    patches: [
      LEAVES_FIRST,
      {
        file: "engine/run/conductor.ts",
        find: "    const { holding } = this.#stage\n",
        put: "    if (from !== undefined) return HOLD_MS\n    const { holding } = this.#stage\n",
      },
    ],
    law: "[J2]",
  },
]

/** The fault that the command line names; undefined: none is planted. */
export function plantedBy(name: string | undefined, known: readonly Planted[]): Planted | undefined {
  if (name === undefined) return undefined
  const found = known.find((it) => it.name === name)
  if (!found) throw new Error(`--planted ${name}: there is no such fault; known: ${known.map((it) => it.name).join(", ")}`)
  return found
}

/** Builds the Worker of this tree, with the fault if there is one. */
export async function buildWith(planted: Planted | undefined, outfile: string): Promise<void> {
  await buildWorker("src/index.ts", outfile)
  if (!planted) return
  const left = new Set(planted.patches)
  const plants: Plugin = {
    name: "planted",
    setup({ onLoad }) {
      for (const file of new Set(planted.patches.map((it) => it.file))) {
        const at = fileURLToPath(new URL(`../../src/${file}`, import.meta.url))
        onLoad({ filter: new RegExp(`${path.basename(file, ".ts")}\\.ts$`) }, async (found) => {
          if (found.path !== at) return undefined
          let contents = await readFile(at, "utf8")
          for (const patch of planted.patches.filter((it) => it.file === file)) {
            if (contents.split(patch.find).length !== 2) throw new Error(`${planted.name}: src/${file} has not exactly once: ${patch.find}`)
            contents = contents.replace(patch.find, () => patch.put)
            left.delete(patch)
          }
          return { contents, loader: "ts" }
        })
      }
    },
  }
  await build({ ...workerSettings, plugins: [plants, ...workerSettings.plugins], entryPoints: ["src/index.ts"], outfile })
  if (left.size > 0) throw new Error(`${planted.name}: the Worker has no part ${[...left].map((it) => it.file).join(", ")}`)
}

/** Says how it ended; true: as it must. With a planted fault, a check of its law must have failed. */
export function sayEnd(of: string, checks: readonly Check[], planted: Planted | undefined): boolean {
  if (!planted) return sayVerdict(of, checks)
  const found = checks.filter(({ name, fault }) => fault !== undefined && name.startsWith(planted.law))
  sayVerdict(of, checks)
  console.log(
    `planted ${planted.name}: ${found.length > 0 ? `found by ${found.length} checks of ${planted.law}: 1 passed, 0` : "not found: 0 passed, 1"} failed`,
  )
  return found.length > 0
}
