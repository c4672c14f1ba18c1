// Implements Exec over a bound sandbox [T20]: commands go through the script of container-control.ts, and files travel as archives. One
// instance serves one call.
//
// Long waits happen here, not in the sandbox: no request to it takes longer than about two seconds, because its session answers requests one
// after another, and a check whether a process still runs must not wait for that process.

import { messageOf } from "../../core/text/fault-text.ts"
import { readTar, writeTar, type TarFile } from "../../engine/import/tar.ts"
import type { Exec, ProcessState, SandboxFile, Stream } from "../../ports/exec.ts"
import { MAX_FILE_BYTES } from "../../ports/workspace.ts"
import { CONTROL, CONTROL_TEXT, STATE, WORKSPACE } from "./container-control.ts"
import type { SandboxStub } from "../platform/sandbox-stub.ts"

/** The timeout of a request inside the sandbox. Unpacking an archive takes the longest. */
const TIMEOUT_MS = 60_000 // limit: milliseconds of a request inside a sandbox → the tool fails
const MAX_FILES = 5_000 // limit: names listed of a sandbox → the rest stays in it
/** An archive is in memory three times during a transfer: raw, in base64, and as the message. */
const PART_BYTES = 8 * 1024 * 1024 // limit: bytes of a part of a transfer → the next part has the rest
const PART_FILES = 500 // limit: files of a part of a transfer → the next part has the rest
/** The number of bodies read at once. */
const AT_ONCE = 6
const NO_SCRIPT = "sluice: no script"

/** What containerExec needs from its caller. */
export interface ExecPlace extends Pick<Exec, "call" | "begun" | "begin" | "tainted" | "taint" | "inTurn" | "end"> {
  /** Why no request may be made any more, e.g. the run is over: a request to a destroyed sandbox would create a new one. */
  closed(): string | undefined
}

export function containerExec(stub: SandboxStub, place: ExecPlace): Exec {
  const asked = async <T>(request: () => Promise<T>): Promise<T> => {
    const closed = place.closed()
    if (closed !== undefined) throw new Error(closed)
    try {
      return await request()
    } catch (e) {
      throw new Error(`the sandbox does not answer: ${messageOf(e)}`)
    }
  }
  const send = (path: string, body: Uint8Array): Promise<unknown> =>
    asked(() => stub.writeFile(path, btoa(latin1(body)), { encoding: "base64" }))
  const shell = (line: string): ReturnType<SandboxStub["exec"]> => asked(() => stub.exec(line, { timeout: TIMEOUT_MS }))

  async function control(verb: string, ...args: readonly (string | number)[]): Promise<string> {
    // Runs in a separate process, so the session's shell does not change. The arguments come from Sluice but are quoted anyway.
    const line = `if [ -f ${CONTROL} ]; then sh ${CONTROL} ${[verb, ...args].map(quoted).join(" ")}; else echo '${NO_SCRIPT}'; fi`
    let { stdout, stderr, exitCode } = await shell(line)
    if (stdout.startsWith(NO_SCRIPT)) {
      await shell(`mkdir -p ${STATE} ${WORKSPACE}`)
      await send(CONTROL, encoder.encode(CONTROL_TEXT))
      ;({ stdout, stderr, exitCode } = await shell(line))
    }
    if (exitCode !== 0) throw new Error(`the sandbox could not ${verb}: ${stderr || `exit code ${exitCode}`}`)
    return stdout
  }

  const state = async (id: string, line: string): Promise<ProcessState | undefined> => stateOf(id, line.trim().split(" "))

  return {
    call: place.call,
    begun: () => place.begun(),
    begin: () => place.begin(),
    get tainted() {
      return place.tainted
    },
    taint: () => place.taint(),
    inTurn: (work) => place.inTurn(work),
    end: () => place.end(),

    async list() {
      const [base = "", hashes = "", sizes = "", large = ""] = (await control("list", MAX_FILES, MAX_FILE_BYTES)).split(/^==\n/m)
      const sizeOf = new Map(
        lines(sizes)
          .map((line) => pair(line, " "))
          .map(([size, path]) => [path, Number(size)]),
      )
      const files = new Map<string, SandboxFile>()
      // sha256sum escapes a name with a backslash; such a name is not allowed in a workspace.
      for (const [hash, path] of lines(hashes).map((line) => pair(line, "  ")))
        if (HASH.test(hash)) files.set(bare(path), { hash, size: sizeOf.get(path) ?? 0 })
      return {
        files,
        base: new Map(
          lines(base)
            .map((line) => pair(line, "  "))
            .map(([hash, path]) => [path, hash]),
        ),
        tooLarge: lines(large).map(bare),
        tooMany: lines(hashes).length >= MAX_FILES,
      }
    },

    async put({ write, remove }, base) {
      if (remove.length > 0) await send(`${STATE}/drop`, encoder.encode(remove.map((path) => `${path}\n`).join("")))
      const parts = inParts(write, ({ size }) => size)
      for (const part of parts) {
        const files: TarFile[] = []
        for (let i = 0; i < part.length; i += AT_ONCE)
          files.push(
            ...(await Promise.all(
              part.slice(i, i + AT_ONCE).map(async ({ path, modified, body }) => ({ path, modified, body: await body() })),
            )),
          )
        await send(`${STATE}/in.tar`, writeTar(files))
        if (part !== parts.at(-1)) await control("unpack")
      }
      if (base) await send(`${STATE}/base.new`, encoder.encode(Array.from(base, ([path, hash]) => `${hash}  ${path}\n`).join("")))
      await control("unpack")
    },

    async *take(files) {
      for (const part of inParts(files, ({ size }) => size)) {
        const wanted = new Set(part.map(({ path }) => path))
        await send(`${STATE}/want`, encoder.encode(part.map(({ path }) => `./${path}\n`).join("")))
        await control("pack")
        const { content } = await asked(() => stub.readFile(`${STATE}/out.tar`, { encoding: "base64" }))
        // A link repeats a body at no cost to the sandbox, and a file may have grown since it was listed: twice what was listed is enough.
        let left =
          2 *
          Math.max(
            PART_BYTES,
            part.reduce((sum, { size }) => sum + size, 0),
          )
        for (const { path, body } of readTar(bytes(content))) {
          if (!wanted.delete(path)) continue
          left -= body.length
          if (left < 0) break
          yield { path, body: body.slice() }
        }
      }
    },

    async start(id, script, { folder, limit }) {
      await send(`${STATE}/${id}.script`, encoder.encode(script))
      const seconds = limit === undefined ? 0 : Math.ceil(limit / 1000)
      const begun = await state(id, await control("start", id, folder === "" ? WORKSPACE : `${WORKSPACE}/${folder}`, seconds))
      if (!begun) throw new Error("the sandbox did not start the process")
      return begun
    },

    look: async (id) => state(id, await control("look", id)),

    async output(id, stream: Stream, offset, limit) {
      return bytes(await control("output", id, stream === "stdout" ? "out" : "err", offset + 1, limit))
    },

    kill: async (id, signal) => state(id, await control("kill", id, signal === "SIGKILL" ? "KILL" : "TERM")),

    async processes() {
      return lines(await control("list-processes")).flatMap((line) => {
        const [id = "", ...fields] = line.split(" ")
        const process = stateOf(id, fields)
        return process ? [{ ...process, script: new TextDecoder().decode(bytes(fields[5] ?? "")) }] : []
      })
    },
  }
}

const HASH = /^[0-9a-f]{64}$/
const encoder = new TextEncoder()

/** Keeps the order of the files. A file that is larger than a part becomes a part by itself. */
function inParts<T>(files: readonly T[], sizeOf: (file: T) => number): T[][] {
  const parts: T[][] = []
  let room = -1
  for (const file of files) {
    const size = sizeOf(file)
    const part = parts.at(-1)
    if (part && size <= room && part.length < PART_FILES) part.push(file)
    else {
      parts.push([file])
      room = PART_BYTES
    }
    room -= size
  }
  return parts
}

function stateOf(id: string, [code = "", running, out, err, at]: readonly string[]): ProcessState | undefined {
  if (code === "") return undefined
  const exitCode = Number.parseInt(code, 10)
  return {
    id,
    running: running === "1",
    ...(Number.isNaN(exitCode) ? {} : { exitCode }),
    stdout: Number(out) || 0,
    stderr: Number(err) || 0,
    started: (Number(at) || 0) * 1000,
  }
}

const lines = (text: string): string[] => text.split("\n").filter((line) => line !== "")
const bare = (path: string): string => path.replace(/^(?:\.\/)+/, "")

function pair(line: string, border: string): [string, string] {
  const at = line.indexOf(border)
  return at === -1 ? ["", line] : [line.slice(0, at), line.slice(at + border.length)]
}

const quoted = (word: string | number): string => `'${String(word).replaceAll("'", "'\\''")}'`

function bytes(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64.replaceAll(/\s+/g, "")), (char) => char.charCodeAt(0))
}

/** In pieces, because the number of arguments of a call is limited. */
function latin1(body: Uint8Array): string {
  let text = ""
  for (let i = 0; i < body.length; i += 8192) text += String.fromCharCode(...body.subarray(i, i + 8192))
  return text
}
