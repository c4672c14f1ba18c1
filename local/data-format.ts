// Refuses a data folder of another format before it changes anything there. The file `format` holds the format's number and is written
// before any data.

import { existsSync } from "node:fs"
import { readFile, stat, writeFile } from "node:fs/promises"
import path from "node:path"
import { FORMAT, otherFormat } from "../src/engine/version.ts"
import { Trouble } from "./trouble.ts"

export const NUMBER = "format"
/** Where the runtime keeps objects, the cache and bodies. */
export const DATA = ["do", "kv", "r2"]

/** A restore that has not come to its end is there while this file is. */
export const RESTORING = "restoring"

/** Checks the data format of the folder `home`, which may be missing. */
export async function checkFormat(home: string): Promise<void> {
  if (existsSync(path.join(home, RESTORING)))
    throw new Trouble(`a restore into ${home} was cut off, so not everything is there: run the same sluice restore again`, 2)
  const text = await readFile(path.join(home, NUMBER), "utf8").catch(() => undefined)
  // A disk that is full takes the file and not its text.
  const isEmpty = (text ?? "") === "" && !DATA.some((name) => existsSync(path.join(home, name)))
  const remedy = `move it aside with \`mv ${quoted(home)} ${quoted(aside(home))}\`, then start again`
  const why = otherFormat(`the data folder ${home}`, isEmpty ? FORMAT : numberIn(text), remedy)
  if (why !== undefined) throw new Trouble(why, 2)
}

/** Writes the format's number unless it exists: rewriting it on a full disk would lose it. */
export async function noteFormat(home: string): Promise<void> {
  const file = path.join(home, NUMBER)
  const isNoted = await stat(file).then(
    ({ size }) => size > 0,
    () => false,
  )
  if (!isNoted) await writeFile(file, `${FORMAT}\n`)
}

const numberIn = (text: string | undefined): number | undefined => (/^\d+\n?$/.test(text ?? "") ? Number(text) : undefined)

const quoted = (file: string): string => (/^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", String.raw`'\''`)}'`)

function aside(home: string): string {
  for (let n = 1; ; n++) {
    const free = `${home}.old${n === 1 ? "" : `-${n}`}`
    if (!existsSync(free)) return free
  }
}
