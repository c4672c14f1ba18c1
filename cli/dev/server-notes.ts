// Notes, for all projects of a person on this machine, which project's `sluice dev` serves which port: so that a command in one folder never asks
// the server of another by the usual port.

import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import path from "node:path"
import { z } from "zod"
import { profileFile } from "../profiles.ts"
import type { EnvVariables } from "../proxy.ts"

const Note = z.object({ pid: z.int().min(1), folder: z.string() })

const noteOf = (env: EnvVariables, url: string): string => path.join(path.dirname(profileFile(env)), "servers", `${new URL(url).port}.json`)

/** Without a place for it nothing is noted: the note protects others, and is needed by none. */
export async function noteServer(env: EnvVariables, url: string, folder: string): Promise<void> {
  const file = noteOf(env, url)
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(file, `${JSON.stringify({ pid: process.pid, folder })}\n`, { mode: 0o600 })
  } catch {
    // A home that cannot be written.
  }
}

export async function forgetServer(env: EnvVariables, url: string): Promise<void> {
  if (url !== "") await rm(noteOf(env, url), { force: true }).catch(() => undefined)
}

/** The folder of the project whose `sluice dev` serves there; undefined: none that is known. */
export async function projectOf(env: EnvVariables, url: string): Promise<string | undefined> {
  try {
    const { pid, folder } = Note.parse(JSON.parse(await readFile(noteOf(env, url), "utf8")))
    process.kill(pid, 0)
    return folder
  } catch {
    return undefined
  }
}
