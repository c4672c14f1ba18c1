// The project's own Worker, for the local server: src/index.ts in one file, if there is one that adds something. Without it the shipped Worker
// serves. A bundle is kept with the hash of what it was made of, and made again when that has changed.

import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import path from "node:path"
import { Trouble } from "../../local/trouble.ts"
import { VERSION } from "../../src/engine/version.ts"
import { messageOf } from "../../src/core/text/fault-text.ts"
import { PACKAGE } from "../package-name.ts"
import { workerEntry } from "../scaffold.ts"

/** Decides how imports are resolved, beside the sources. */
const BESIDE = ["package.json", "tsconfig.json"]

/** The bundle's path; undefined: the project has no Worker of its own. `building` is called if it has to be made. */
export async function projectWorker(folder: string, into: string, building: () => void = () => {}): Promise<string | undefined> {
  const entry = path.join(folder, "src/index.ts")
  if (!existsSync(entry)) return undefined
  // As `init` wrote it, it is the shipped Worker.
  if ((await readFile(entry, "utf8")).trim() === workerEntry(PACKAGE).trim()) return undefined
  const [outfile, note] = [path.join(into, "worker.js"), path.join(into, "made-of.json")]
  const kept = await readNote(note)
  if (kept !== undefined && existsSync(outfile) && (await hashOf(folder, kept.inputs)) === kept.hash) return outfile
  building()
  const { build } = await import("esbuild")
  try {
    const { metafile } = await build({
      absWorkingDir: folder,
      entryPoints: [entry],
      outfile,
      bundle: true,
      format: "esm",
      target: "es2024",
      conditions: ["workerd", "worker", "browser"],
      mainFields: ["module", "main"],
      external: ["cloudflare:*", "node:*"],
      // The runtime reads and copies every byte at its start.
      minifyWhitespace: true,
      metafile: true,
      logLevel: "silent",
    })
    const inputs = [...Object.keys(metafile.inputs), ...BESIDE].sort()
    await writeFile(note, JSON.stringify({ inputs, hash: await hashOf(folder, inputs) }))
    return outfile
  } catch (error) {
    throw new Trouble(`src/index.ts does not build: ${messageOf(error)}`, 3)
  }
}

interface MadeOf {
  /** Relative to the project. */
  readonly inputs: readonly string[]
  readonly hash: string
}

async function readNote(file: string): Promise<MadeOf | undefined> {
  try {
    const note = JSON.parse(await readFile(file, "utf8")) as MadeOf
    return Array.isArray(note.inputs) ? note : undefined
  } catch {
    return undefined
  }
}

/** A file that is gone counts as empty, so the hash is another one. */
async function hashOf(folder: string, inputs: readonly string[]): Promise<string> {
  const hash = createHash("sha256").update(VERSION)
  for (const name of inputs) hash.update(`\0${name}\0`).update(await readFile(path.resolve(folder, name)).catch(() => new Uint8Array()))
  return hash.digest("hex")
}
