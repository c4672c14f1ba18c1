// The trials: what a server under stress must do, each against a server of its own. A trial says what is wrong; a text says why it cannot be
// tried here.

import { createHmac } from "node:crypto"
import { execFileSync, spawn } from "node:child_process"
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import path from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { isEnd } from "../crash/client.ts"
import { DISK_TRIALS } from "./disk.ts"
import { Stand } from "./stand.ts"
import type { Trial } from "./trial.ts"

const LAUNCHER = fileURLToPath(new URL("../local/launch.ts", import.meta.url))
const GITHUB = "a-long-random-word"

/** With a server of its own, which is closed afterwards. */
const alone =
  (act: (stand: Stand) => Promise<void>, more: Record<string, string> = {}): Trial =>
  async ({ worker, model }) => {
    model.isBack = true
    const stand = await Stand.open(worker, model, { more })
    try {
      await act(stand)
      return stand.faults
    } finally {
      await stand.victim.close()
    }
  }

/** The same on a disk of its own, of so many megabytes. */
const onSmallDisk =
  (act: (stand: Stand, fill: () => void, free: () => void) => Promise<void>): Trial =>
  async ({ worker, model }) => {
    if (process.platform !== "linux" || process.getuid?.() !== 0) return "a small disk can be mounted by root on Linux alone"
    const disk = mkdtempSync(path.join(tmpdir(), "sluice-trial-disk-"))
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", disk], { stdio: "pipe" })
    } catch {
      rmSync(disk, { recursive: true })
      return "this machine lets nobody mount a disk"
    }
    const filler = path.join(disk, "filler")
    const fill = (): void => {
      const file = openSync(filler, "a")
      try {
        for (let size = 1_048_576; size >= 512;) {
          try {
            writeSync(file, Buffer.alloc(size, 1))
          } catch {
            size /= 2
          }
        }
      } finally {
        closeSync(file)
      }
    }
    let stand: Stand | undefined
    try {
      stand = await Stand.open(worker, model, { under: disk })
      await act(stand, fill, () => rmSync(filler, { force: true }))
      return stand.faults
    } finally {
      rmSync(filler, { force: true })
      await stand?.victim.close()
      execFileSync("umount", ["-l", disk])
      rmSync(disk, { recursive: true })
    }
  }

const problemOf = async (answer: Response): Promise<string> => `${answer.status} ${(await answer.text()).slice(0, 200)}`

/** [J14] A full disk takes no server down, and what was acknowledged is there afterwards. */
const fullDiskServes = onSmallDisk(async (stand, fill, free) => {
  const { client, victim } = stand
  const waiting = await client.start("patient", "before")
  await stand.until(waiting, ({ status }) => status === "waiting")
  fill()
  const log = path.join(victim.data, "server.log")
  try {
    appendFileSync(log, "a line\n")
  } catch {
    // As the server finds it.
  }
  for (let n = 0; n < 20; n++) await client.start("quick", `full-${n}`).catch(() => undefined)
  stand.expect(victim.launcher !== undefined, "the launcher has ended")
  free()
  const isBack = await stand.comes(async () => (await client.ask("GET", "/healthz")).ok, 30_000)
  stand.expect(isBack, "the server does not serve after there is room again")
  // The server sees within two seconds that there is room.
  const isTaken = await stand.comes(async () => (await client.ask("POST", `/v1/runs/${waiting}/signals/go`, {})).ok, 10_000)
  stand.expect(isTaken, "what writes is still refused after there is room again")
  const { status } = await stand.until(waiting, (run) => isEnd(run.status))
  stand.expect(status === "succeeded", `the run from before is ${status}`)
})

/** [N7] What a full disk answers: a reason, reads, and a deletion, which makes room. */
const fullDiskAnswers = onSmallDisk(async (stand, fill) => {
  const { client } = stand
  const ids: string[] = []
  for (let n = 0; n < 3; n++) ids.push(await client.start("quick", `small-${n}`))
  for (const id of ids) await stand.until(id, (run) => isEnd(run.status))
  fill()
  const written = await client.ask("PUT", "/v1/flows/patient", "name: patient\n".repeat(4_000))
  const said = await problemOf(written)
  stand.expect(written.status < 500 || said.includes("disk_full"), `a write answers ${said}`)
  const read = await client.ask("GET", `/v1/runs/${ids[0]}`)
  stand.expect(read.ok, `a read answers ${await problemOf(read)}`)
  let isNamed = false
  for (let n = 0; n < 5 && !isNamed; n++) {
    const ready = await client.ask("GET", "/readyz")
    const text = await ready.text()
    isNamed = ready.ok || text.includes("disk")
    await pause(1_100)
  }
  stand.expect(isNamed, "readyz fails and does not name the disk")
  for (const id of ids) {
    const gone = await client.ask("DELETE", `/v1/runs/${id}`)
    stand.expect(gone.status === 204, `DELETE answers ${await problemOf(gone)}`)
  }
})

/** [F33] An outage of the model's provider delays runs and fails none. */
const outage = alone(async (stand) => {
  const { client, model } = stand
  model.isBack = false
  const ids: string[] = []
  for (let n = 0; n < 10; n++) ids.push(await client.start("out", `out-${n}`))
  await pause(15_000)
  model.isBack = true
  for (const id of ids) {
    const { status } = await stand.until(id, (run) => isEnd(run.status), 90_000)
    stand.expect(status === "succeeded", `a run is ${status} after an outage of 15 s`)
  }
})

/** [M1] A model that says nothing is asked again, and given up in the end. */
const silence = alone(async (stand) => {
  const before = stand.model.asked("silent")
  const id = await stand.client.start("silent", "silent")
  const isAsked = await stand.comes(() => stand.model.asked("silent") >= before + 2, 75_000)
  stand.expect(isAsked, `a silent model is asked ${stand.model.asked("silent") - before} times in 75 s, although it may be silent for 2 s`)
  await stand.client.ask("POST", `/v1/runs/${id}/cancel`)
})

/** One damaged run stops neither the inbox nor its own deletion. */
const damaged = alone(async (stand) => {
  const { client, victim } = stand
  const [broken, whole] = [await client.start("asking", "broken"), await client.start("asking", "whole")]
  for (const id of [broken, whole]) await stand.until(id, ({ pending }) => pending > 0)
  await victim.stop()
  const has = (file: string, id: string): boolean => [file, `${file}-wal`].some((one) => existsSync(one) && readFileSync(one).includes(id))
  const cut = databases(victim.data).filter((file) => has(file, broken) && !has(file, whole))
  stand.expect(cut.length > 0, "the database of the run is not found")
  for (const file of cut) {
    truncateSync(file, Math.floor(statSync(file).size / 2))
    for (const more of ["-wal", "-shm"]) rmSync(file + more, { force: true })
  }
  await victim.start()
  const inbox = await client.ask("GET", "/v1/interactions")
  const text = await inbox.text()
  stand.expect(inbox.ok && text.includes(whole), `the inbox answers ${inbox.status}`)
  const gone = await client.ask("DELETE", `/v1/runs/${broken}`)
  // A database of which nothing can be read is no run.
  stand.expect(gone.status === 204 || gone.status === 404, `DELETE of the damaged run answers ${await problemOf(gone)}`)
})

const databases = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).flatMap((name) => (name.endsWith(".sqlite") ? [path.join(folder, name)] : []))

/** A second server on the same folder is refused, also where it does not see the first one's pid. */
const twoServers = alone(async (stand) => {
  const second = async (command: string, args: readonly string[]): Promise<string> => {
    const child = spawn(command, [...args, process.execPath, LAUNCHER], {
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], PORT: "0", SLUICE_DATA: stand.victim.data },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    })
    let said = ""
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (said += text))
    const code = await Promise.race([
      new Promise<string>((done) => child.once("exit", (n) => done(`ended ${n}`))),
      pause(15_000).then(() => "serves"),
    ])
    if (code === "serves" && child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
    return `${code}: ${said.slice(0, 300)}`
  }
  const plain = await second("env", [])
  stand.expect(plain.startsWith("ended") && !plain.startsWith("ended 0"), `a second server ${plain}`)
  if (process.platform === "linux" && process.getuid?.() === 0) {
    const other = await second("unshare", ["--pid", "--fork"])
    stand.expect(other.startsWith("ended") && !other.startsWith("ended 0"), `a second server among other pids ${other}`)
  }
  stand.expect((await stand.client.ask("GET", "/healthz")).ok, "the first server does not serve any more")
})

/** [W3] Deliveries are answered once they are durable, and their runs follow. */
const deliveries = alone(async (stand) => {
  const { client, victim } = stand
  await client.put("/v1/secrets/github", { value: GITHUB })
  const made = await client.ask("POST", "/v1/hooks", {
    flow: "quick",
    kind: "github",
    secret: "github",
    mapping: { task: "${{trigger.body.n}}" },
  })
  const { id } = (await made.json()) as { id: string }
  const [all, width] = [600, 100]
  let next = 0
  let slowest = 0
  const wrong: string[] = []
  const deliver = async (): Promise<void> => {
    for (let n = next++; n < all; n = next++) {
      const body = JSON.stringify({ n: `delivery ${n}` })
      const signature = createHmac("sha256", GITHUB).update(body).digest("hex")
      const from = performance.now()
      const answer = await fetch(`${victim.url}/v1/hooks/${id}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-github-event": "issues",
          "x-github-delivery": `d-${n}`,
          "x-hub-signature-256": `sha256=${signature}`,
        },
        body,
      })
      slowest = Math.max(slowest, performance.now() - from)
      if (!answer.ok) wrong.push(await problemOf(answer))
    }
  }
  await Promise.all(Array.from({ length: width }, deliver))
  stand.expect(wrong.length === 0, `${wrong.length} deliveries were refused: ${wrong[0] ?? ""}`)
  stand.expect(slowest < 10_000, `the slowest delivery took ${Math.round(slowest)} ms`)
})

/** [E4] Readers that take nothing keep neither the memory of the server nor the time of others. */
const deafReaders = alone(async (stand) => {
  const { client, victim } = stand
  const id = await client.start("patient", "deaf")
  await stand.until(id, ({ status }) => status === "waiting")
  const { port } = new URL(victim.url)
  const sockets = Array.from({ length: 100 }, () => {
    const socket = connect(Number(port), "127.0.0.1")
    socket.on("error", () => undefined)
    socket.write(`GET /v1/runs/${id}/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer sl_local_dev\r\naccept: text/event-stream\r\n\r\n`)
    socket.pause()
    return socket
  })
  try {
    for (let n = 0; n < 60; n++)
      await client.ask("POST", `/v1/runs/${id}/signals/other-${n}`, { text: "x".repeat(50_000) }).catch(() => undefined)
    let slowest = 0
    for (let n = 0; n < 20; n++) {
      const from = performance.now()
      await client.ask("GET", "/v1/runs?limit=1")
      slowest = Math.max(slowest, performance.now() - from)
    }
    stand.expect(slowest < 3_000, `a neighbor waits ${Math.round(slowest)} ms beside readers that take nothing`)
    const memory = victim.workerd === undefined ? 0 : memoryOf(victim.workerd)
    stand.expect(memory < 900, `the server holds ${memory} MB`)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
})

/** MB, on Linux. */
function memoryOf(pid: number): number {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024)
  } catch {
    return 0
  }
}

/** [B4] Runs that were refused a slice of the day go on when one is given back. */
const slices = alone(async (stand) => {
  const { client } = stand
  await client.put("/v1/settings/budget", { tokens: 40_000 })
  const ids: string[] = []
  for (let n = 0; n < 6; n++) ids.push(await client.start("quick", `slice-${n}`))
  for (const id of ids) {
    const { status } = await stand.until(id, (run) => isEnd(run.status), 40_000)
    stand.expect(isEnd(status), `a run still ${status} for a slice of the day 40 s after others have returned theirs`)
  }
})

const clockBack: Trial = async () =>
  "no process can set this machine's clock back for itself: test/cloudflare/tenant/clock-back.test.ts tries it"

/** [B3] A call that was lost is in the usage, as a count and an upper bound. */
const lostCalls = alone(async (stand) => {
  const { client, model, victim } = stand
  model.isBack = false
  const before = model.asked("dropped")
  const id = await client.start("dropped", "dropped")
  stand.expect(await stand.comes(() => model.asked("dropped") > before), "the model is not asked")
  await victim.killAndRestart("both")
  model.isBack = true
  const { status, usage } = await stand.until(id, (run) => isEnd(run.status), 60_000)
  const { lost } = usage as { lost?: { calls: number; tokens: number } }
  stand.expect(status === "succeeded", `the run is ${status}`)
  stand.expect((lost?.calls ?? 0) >= 1 && (lost?.tokens ?? 0) > 0, `the usage says ${JSON.stringify(usage)}`)
  const isSummed = await stand.comes(async () =>
    JSON.stringify(await (await client.ask("GET", "/v1/usage")).json()).includes(`"calls":${lost?.calls ?? -1}`),
  )
  stand.expect(isSummed, "/v1/usage does not have the lost call")
})

/** [H5] What a deleted run said is gone at once from its own object, and the answer says when the rest is. */
const deletion = alone(async (stand) => {
  const { client, victim } = stand
  const secret = `secret-${"x".repeat(20)}-of-the-trial`
  const id = await client.start("quick", secret)
  await stand.until(id, (run) => isEnd(run.status))
  const answer = await client.ask("DELETE", `/v1/runs/${id}`)
  stand.expect(answer.headers.get("sluice-erased-within") === "86400", "DELETE does not say when all of it is gone")
  stand.expect((await client.ask("GET", `/v1/runs/${id}`)).status === 404, "a deleted run can be read")
  await victim.stop()
  const runs = databases(victim.data).filter((file) => file.includes("RunObject"))
  // The answer to the Idempotency-Key of the start stays for its day, once.
  const times = runs.map((file) => readFileSync(file, "latin1").split(secret).length - 1).reduce((sum, n) => sum + n, 0)
  stand.expect(times <= 1, `the databases of runs have its task ${times} times`)
})

/** In the order in which they are played. */
export const TRIALS: Readonly<Record<string, Trial>> = {
  "full-disk-serves": fullDiskServes,
  "full-disk-answers": fullDiskAnswers,
  ...DISK_TRIALS,
  outage,
  silence,
  damaged,
  "two-servers": twoServers,
  deliveries,
  "deaf-readers": deafReaders,
  slices,
  "clock-back": clockBack,
  "lost-calls": lostCalls,
  deletion,
}
