// Runs a peer in its own folder. Its packages are installed from its lockfile when it is first measured, never with the root's.

import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { z } from "zod"
import { bodyOf } from "./ask.ts"
import { type Contender, type Work, WORKS } from "./contender.ts"
import { start } from "./processes.ts"

const Ended = z.object({ at: z.array(z.number()) })
const Package = z.object({ dependencies: z.record(z.string(), z.string()).default({}) })

const WITHOUT_KEYS = WORKS.filter((work) => work !== "w5")

export interface Packaged {
  readonly folder: string
  readonly name: string
  readonly note: string
  /** The package whose version is shown. */
  readonly package?: string
  readonly settings?: Readonly<Record<string, string>>
  /** Without: all but w5, for which a peer needs limits by key. */
  readonly works?: readonly Work[]
  /** It has an addon in C++, which is built for the Node.js that its folder brings, or else for the machine's own, which may be older than ours. */
  readonly native?: true
}

export function packaged({ folder, name, note, settings = {}, package: shown, works = WITHOUT_KEYS, native }: Packaged): Contender {
  let count = 0
  return {
    name: shown === undefined ? name : `${name} ${packageOf(folder)[shown] ?? "?"}`,
    note,
    works,
    async start(data, model) {
      install(folder)
      const { url, keyed, pid, stop } = await start(
        `${folder}/server.mjs`,
        { data, model, ...settings },
        native ? nodeOf(folder) : undefined,
      )
      return {
        pid,
        stop,
        run: async (work, key = "key-0") => {
          const at = work === "w5" ? (keyed ?? url) : url
          const target = at.replace("{work}", work).replace("{id}", `${work}-${++count}`).replace("{key}", key)
          return Ended.parse(JSON.parse(await bodyOf("POST", target))).at
        },
      }
    },
  }
}

function install(folder: string): void {
  const root = fileURLToPath(new URL(folder, import.meta.url))
  if (Object.keys(packageOf(folder)).length === 0 || existsSync(`${root}/node_modules`)) return
  process.stderr.write(`bench/peers/${folder}: npm ci, which takes minutes\n`)
  execFileSync("npm", ["ci", "--no-audit", "--no-fund"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] })
}

/** The folder's own `node`, or the first one on the path that no package brought. */
function nodeOf(folder: string): string | undefined {
  const own = fileURLToPath(new URL(`${folder}/node_modules/.bin/node`, import.meta.url))
  if (existsSync(own)) return own
  const folders = (process.env["PATH"] ?? "").split(path.delimiter).filter((folder) => !folder.includes("node_modules"))
  return folders.map((folder) => path.join(folder, "node")).find((file) => existsSync(file))
}

const packageOf = (folder: string): Readonly<Record<string, string>> =>
  Package.parse(JSON.parse(readFileSync(new URL(`${folder}/package.json`, import.meta.url), "utf8"))).dependencies
