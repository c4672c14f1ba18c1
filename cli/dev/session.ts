// A session of `sluice dev`: the note that lets other commands in the folder use its draft while its process lives.

import { createHash } from "node:crypto"
import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { hostname, userInfo } from "node:os"
import path from "node:path"
import { z } from "zod"
import { DATA } from "../project/project.ts"

/** Without `url` its server starts, for the first time or again. */
const Session = z.object({ pid: z.int().min(1), url: z.string().exactOptional(), draft: z.string() })
export type DevSession = z.output<typeof Session>

const noteOf = (folder: string): string => path.join(folder, DATA, "dev.json")

/** On a server that others use too: the same in every session of this folder, so that one that was killed leaves no second draft. */
export function draftName(folder: string): string {
  const seed = JSON.stringify([hostname(), userName(), folder])
  return `dev-${createHash("sha256").update(seed).digest("hex").slice(0, 12)}`
}

function userName(): string {
  try {
    return userInfo().username
  } catch {
    // A user id without a name, as containers have.
    return ""
  }
}

/** The flow as the draft has it [F80]. */
export const inDraft = (flow: string, draft: string): string => `${flow}@draft:${draft}`

export async function noteSession(folder: string, session: Omit<DevSession, "pid">): Promise<void> {
  await mkdir(path.join(folder, DATA), { recursive: true, mode: 0o700 })
  await writeFile(noteOf(folder), `${JSON.stringify({ pid: process.pid, ...session })}\n`, { mode: 0o600 })
}

/** The session of this folder, if its process lives. */
export async function sessionOf(folder: string): Promise<DevSession | undefined> {
  try {
    const session = Session.parse(JSON.parse(await readFile(noteOf(folder), "utf8")))
    process.kill(session.pid, 0)
    return session
  } catch {
    return undefined
  }
}

/** The longest that another command waits while the server of the session starts: far longer than it takes. */
const MOST_WAIT_MS = 60_000
const LOOK_MS = 100

/** The session once its server has an address, or undefined: there is none, or it has ended meanwhile. `waiting` is called if it is not there yet. */
export async function servedSession(folder: string, waiting: () => void): Promise<DevSession | undefined> {
  for (let waited = 0; waited < MOST_WAIT_MS; waited += LOOK_MS) {
    const session = await sessionOf(folder)
    if (session === undefined || session.url !== undefined) return session
    if (waited === 0) waiting()
    await new Promise((wake) => setTimeout(wake, LOOK_MS))
  }
  return undefined
}

/** Only its own: a later session may have written its note over it. */
export async function forgetSession(folder: string): Promise<void> {
  const session = await sessionOf(folder)
  if (session?.pid === process.pid) await rm(noteOf(folder), { force: true })
}
