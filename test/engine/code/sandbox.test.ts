// Commands and processes in a sandbox: how files move to and from the workspace, who sees what, and how everything ends. The
// processes are real processes on this machine.

import { afterAll, afterEach, describe, expect, test } from "vitest"
import { HostSandboxes } from "../../sandbox/host-sandbox.ts"
import { Machine } from "../../contract/machine.ts"
import { said } from "../../contract/shell.ts"

const hosts = new HostSandboxes()
let runs = 0
const machine = (open = true): Machine => new Machine({ hosts, run: `run_${++runs}`, open })
const hostOf = (m: Machine) => {
  const names = Array.from(m.kv.list({ prefix: "sandbox/" }), ([key]) => key.slice("sandbox/".length))
  return hosts.get(names[0] ?? "")
}
const pidIn = (text: string): string => /proc-[0-9a-f]{24}/.exec(text)?.[0] ?? ""
/** Polls until the answer is right: processes take time. */
async function until<T>(ask: () => Promise<T>, right: (answer: T) => boolean): Promise<T> {
  for (let i = 0; ; i++) {
    const answer = await ask()
    if (right(answer)) return answer
    if (i > 2_000) throw new Error(`it does not come: ${JSON.stringify(answer)}`)
    await new Promise((resume) => setTimeout(resume, 25))
  }
}
const commands = (m: Machine) => hostOf(m).running()

afterEach(() => hosts.destroy())
afterAll(() => hosts.destroy())

describe("processes", () => {
  test("[T20] a process goes on between calls, is asked, read in pages, and ends by itself", async () => {
    const m = machine()
    const pid = pidIn(
      said(
        await m.call("process.start", { command: "echo one; until [ -e go ]; do sleep 0.05; done; printf 'zwölf'; echo bad >&2; exit 4" }),
      ),
    )
    expect(pid).not.toBe("")
    expect(said(await m.call("process.status", { pid }))).toContain("running")
    await m.call("bash", { command: "touch go" })
    const end = await until(
      async () => said(await m.call("process.status", { pid })),
      (text) => !text.includes("running"),
    )
    expect(end).toContain(`${pid}: ended, exit code 4`)
    expect(said(await m.call("process.output", { pid }))).toContain("one\nzwölf\n[all of 10 bytes; ended, exit code 4]")
    expect(said(await m.call("process.output", { pid, stream: "stderr" }))).toContain("bad\n[all of 4 bytes")
    // The second of these borders lies within the ö.
    const first = await m.call("process.output", { pid, limit: 7 })
    expect(said(first)).toContain("one\nzw\n[bytes 0 to 6 of 10; go on with offset 6]")
    expect(said(await m.call("process.output", { pid, offset: 6 }))).toContain("ölf\n[all of 10")
    expect(said(await m.call("process.output", { pid, offset: 11 }))).toMatch(/ERROR stdout has 10 bytes so far: there is nothing at 11/)
  })

  test("[T20] SIGTERM can be answered, SIGKILL cannot, and both reach what the process started", async () => {
    const m = machine()
    const polite = pidIn(
      said(await m.call("process.start", { command: "trap 'echo bye; exit 7' TERM; echo up; while :; do sleep 0.05; done" })),
    )
    await until(
      async () => said(await m.call("process.output", { pid: polite })),
      (text) => text.includes("up"),
    )
    // A process that is not gone within a moment is reported as running.
    const killed = async (pid: string, signal?: string): Promise<string> => {
      await m.call("process.kill", { pid, ...(signal === undefined ? {} : { signal }) })
      return until(
        async () => said(await m.call("process.status", { pid })),
        (text) => !text.includes("running"),
      )
    }
    expect(await killed(polite)).toContain("ended, exit code 7")
    expect(said(await m.call("process.output", { pid: polite }))).toContain("up\nbye")
    const deaf = pidIn(said(await m.call("process.start", { command: "trap '' TERM; sleep 1000 & echo up; while :; do sleep 0.05; done" })))
    await until(
      async () => said(await m.call("process.output", { pid: deaf })),
      (text) => text.includes("up"),
    )
    expect(said(await m.call("process.kill", { pid: deaf, signal: "SIGTERM" }))).toContain("running")
    expect(await killed(deaf, "SIGKILL")).toContain("ended, exit code 137 (SIGKILL)")
    expect(
      await until(
        () => commands(m),
        (all) => all.length === 0,
      ),
    ).toEqual([])
    // Repeating it changes nothing.
    expect(said(await m.call("process.kill", { pid: deaf }))).toContain("ended, exit code 137")
  })

  test("[T20] with args, no argument is interpreted by a shell", async () => {
    const m = machine()
    const pid = pidIn(said(await m.call("process.start", { command: "printf", args: ["%s|", "$HOME", "a b", "it's", "; exit 9", "-n"] })))
    const shown = await until(
      async () => said(await m.call("process.output", { pid })),
      (text) => text.includes("ended"),
    )
    expect(shown).toContain("$HOME|a b|it's|; exit 9|-n|")
    expect(shown).toContain("ended, exit code 0")
  })

  test("[T20] list shows started processes, but no bash commands", async () => {
    const m = machine()
    expect(said(await m.call("process.list"))).toBe("[no processes]")
    await m.call("bash", { command: "true" })
    const a = pidIn(said(await m.call("process.start", { command: "sleep 50" })))
    const b = pidIn(said(await m.call("process.start", { command: "exit 3" })))
    const lines = (
      await until(
        async () => said(await m.call("process.list")),
        (text) => text.includes("exit code 3"),
      )
    ).split("\n")
    expect(lines).toHaveLength(2)
    expect(lines.find((line) => line.startsWith(a))).toContain("running  sleep 50")
    expect(lines.find((line) => line.startsWith(b))).toContain("ended, exit code 3  exit 3")
  })

  test.each(["proc-0123456789abcdef01234567", "1", "../../p", "call-0123456789abcdef01234567", "$(id)"])(
    "[T20] a pid that was made up: %s",
    async (pid) => {
      const m = machine()
      await m.call("process.start", { command: "sleep 50" })
      for (const tool of ["process.status", "process.output", "process.kill"])
        expect(said(await m.call(tool, { pid }))).toMatch(/^ERROR there is no process .* in this run's sandbox/)
    },
  )

  test("[T20] another run's pid is unknown, like an invented one", async () => {
    const [one, two] = [machine(), machine()]
    const pid = pidIn(said(await one.call("process.start", { command: "sleep 50" })))
    for (const tool of ["process.status", "process.output", "process.kill"])
      expect(said(await two.call(tool, { pid }))).toContain(`ERROR there is no process ${pid}`)
    expect(said(await one.call("process.status", { pid }))).toContain("running")
  })

  test("[T20] the run's end ends its processes, and the sandbox is not used afterwards", async () => {
    const m = machine()
    const pid = pidIn(said(await m.call("process.start", { command: "trap '' TERM HUP; setsid sleep 1000 & sleep 1000" })))
    const host = hostOf(m)
    await until(
      () => host.running(),
      (all) => all.some((command) => command === "sleep 1000"),
    )
    expect(m.containers.any()).toBe(true)
    await m.containers.destroy("acme")
    expect([await host.running(), host.root, m.containers.any()]).toEqual([[], undefined, false])
    expect(said(await m.call("process.status", { pid }))).toMatch(/ERROR the run is over/)
    expect(said(await m.call("bash", { command: "true" }))).toMatch(/ERROR the run is over/)
    expect(host.root).toBe(undefined)
  })
})

describe("after an interruption", () => {
  test("[J11] a pid is good in another life of the Worker", async () => {
    const m = machine()
    const pid = pidIn(said(await m.call("process.start", { command: "echo here; sleep 50" })))
    m.restart()
    await until(
      async () => said(await m.call("process.output", { pid })),
      (text) => text.includes("here"),
    )
    await m.call("process.kill", { pid, signal: "SIGKILL" })
    const end = await until(
      async () => said(await m.call("process.status", { pid })),
      (text) => !text.includes("running"),
    )
    expect(end).toContain("SIGKILL")
  })

  test("[J11] a lost sandbox is reported, and the next command gets a new one with the files", async () => {
    const m = machine()
    await m.put("a.txt", "a\n")
    const pid = pidIn(said(await m.call("process.start", { command: "sleep 50" })))
    await hostOf(m).destroy()
    expect(said(await m.call("process.status", { pid }))).toMatch(/ERROR there is no process .* lost when the sandbox goes to sleep/)
    expect(said(await m.call("bash", { command: "cat a.txt" }))).toContain("a")
    expect(m.paths()).toEqual(["a.txt"])
  })

  test("[J11] a repeated call resumes its command, which runs once and delivers its files", async () => {
    const m = machine()
    const command = "echo x >> count; sleep 0.4; echo done"
    await m.call("bash", { command }, { key: "k", commits: false })
    m.restart()
    expect(said(await m.call("bash", { command }, { key: "k" }))).toContain("done")
    expect(await m.text("count")).toBe("x\n")
    const started = said(await m.call("process.start", { command: "echo y >> other; sleep 50" }, { key: "p", commits: false }))
    m.restart()
    expect(pidIn(said(await m.call("process.start", { command: "echo y >> other; sleep 50" }, { key: "p" })))).toBe(pidIn(started))
    expect(said(await m.call("process.list")).split("\n")).toHaveLength(1)
  })

  test("[J11] a command started in a lost sandbox is not started again", async () => {
    const m = machine()
    await m.call("bash", { command: "echo x >> count" }, { key: "k", commits: false })
    await hostOf(m).destroy()
    m.restart()
    expect(said(await m.call("bash", { command: "echo x >> count" }, { key: "k" }))).toMatch(/ERROR this began before an interruption/)
    expect(m.paths()).toEqual([])
  })

  test("[T6] an aborted command is killed with everything it started", async () => {
    const m = machine()
    const cancel = new AbortController()
    const call = m.call("bash", { command: "setsid sleep 300 & sleep 300" }, { signal: cancel.signal })
    const host = await until(
      async () => hostOf(m),
      ({ root }) => root !== undefined,
    )
    await until(
      () => host.running(),
      (all) => all.some((command) => command === "sleep 300"),
    )
    cancel.abort()
    expect(said(await call)).toMatch(/ERROR bash was canceled/)
    // A process with its own session stays until the run's end, when everything ends.
    await until(
      () => host.running(),
      (all) => all.filter((command) => command === "sleep 300").length <= 1,
    )
    await m.containers.destroy("acme")
    expect(await host.running()).toEqual([])
  })

  test("[T6] the sandbox ends a command by itself if no caller does", async () => {
    const m = machine()
    const exec = m.containers.open("acme", m.run, "[{}]", "alone")
    await exec?.start("call-alone", "sleep 300 & sleep 300", { folder: "", limit: 400 })
    const end = await until(
      async () => exec?.look("call-alone"),
      (state) => state?.running === false,
    )
    expect(end?.exitCode).toBe(137)
    await until(
      () => commands(m),
      (all) => !all.some((command) => command.includes("sleep 300")),
    )
  })

  test("[T20] a command that has just ended is reported with its exit code, not as killed", async () => {
    const m = machine()
    const exec = m.containers.open("acme", m.run, "[{}]", "alone")
    await exec?.processes()
    await hostOf(m).exec(
      "P=/tmp/.sluice/p/call-late; mkdir $P; true & pid=$!; wait $pid; echo $pid > $P/pid; (sleep 0.3; echo 0 > $P/code) > /dev/null 2>&1 & echo $! > $P/guard",
    )
    expect(await exec?.look("call-late")).toMatchObject({ running: false, exitCode: 0 })
  })

  test("[T20] processes that bash leaves running with & end with it", async () => {
    const m = machine()
    expect(said(await m.call("bash", { command: "sleep 300 & echo ok" }))).toContain("ok")
    expect(
      await until(
        () => commands(m),
        (all) => all.length === 0,
      ),
    ).toEqual([])
  })
})

describe("files", () => {
  test("[T20] only changed files are transferred, in one archive", async () => {
    const m = machine()
    for (let i = 0; i < 50; i++) await m.put(`f/${i}.txt`, `${i}\n`)
    await m.call("bash", { command: "cat f/*.txt | wc -l" })
    const { calls } = hostOf(m)
    const before = { ...calls }
    expect(said(await m.call("bash", { command: "cat f/7.txt" }))).toContain("7")
    // Only the command's script was sent.
    expect([calls.writeFile - before.writeFile, calls.readFile - before.readFile]).toEqual([1, 0])
    await m.put("f/7.txt", "seven\n")
    expect(said(await m.call("bash", { command: "cat f/7.txt f/8.txt" }))).toContain("seven\n8")
    m.index.take([{ path: "f/8.txt", base: m.index.stat("f/8.txt")?.hash ?? null, hash: null, size: 0 }], 3)
    expect(said(await m.call("bash", { command: "ls f | wc -l; cat f/8.txt" }))).toMatch(/49[^]*No such file/)
  })

  test("[T20] files of a process arrive with process.status, and a change made in the workspace stays", async () => {
    const m = machine()
    await m.put("log", "mine\n")
    const pid = pidIn(said(await m.call("process.start", { command: "echo out > result; echo theirs >> log; echo ready; sleep 50" })))
    await until(
      async () => said(await m.call("process.output", { pid })),
      (text) => text.includes("ready"),
    )
    await m.put("log", "mine, newer\n")
    expect(said(await m.call("process.status", { pid }))).toContain(
      "log: it was changed in the workspace meanwhile, and that version is kept",
    )
    expect([await m.text("result"), await m.text("log")]).toEqual(["out\n", "mine, newer\n"])
    expect(said(await m.call("bash", { command: "cat log" }))).toContain("mine, newer")
  })

  test("[J11] files left by a failed call arrive with the next successful call", async () => {
    const m = machine()
    const cancel = new AbortController()
    const call = m.call("bash", { command: "echo x > late; sleep 30" }, { signal: cancel.signal })
    const host = await until(
      async () => hostOf(m),
      ({ root }) => root !== undefined,
    )
    await until(
      () => host.running(),
      (all) => all.includes("sleep 30"),
    )
    cancel.abort()
    expect(said(await call)).toMatch(/ERROR bash was canceled/)
    expect(m.paths()).toEqual([])
    await m.call("bash", { command: "true" })
    expect(m.paths()).toEqual(["late"])
  })

  test("[T20] folders of other programs, links and devices stay in the sandbox", async () => {
    const m = machine()
    await m.call("bash", {
      command:
        "mkdir -p node_modules/p app/.git; echo 1 > node_modules/p/i.js; echo 2 > app/.git/HEAD; echo 3 > app/main; ln -s /etc/passwd link; ln app/main hard; mkfifo pipe",
    })
    expect(m.paths()).toEqual(["app/main", "hard"])
    expect(await m.text("hard")).toBe("3\n")
    expect(said(await m.call("bash", { command: "cat node_modules/p/i.js app/.git/HEAD; readlink link" }))).toContain("1\n2\n/etc/passwd")
  })

  test("[T20] files that are too large or too many stay in the sandbox and are reported", async () => {
    const m = machine()
    const answer = said(
      await m.call("bash", {
        command:
          "head -c 10485761 /dev/zero > big; mkdir d; for i in $(seq 1 1200); do echo $i > d/$i; done; printf x > 'two\nlines'; printf x > 'back\\slash'",
      }),
    )
    expect(answer).toContain("big: a file may have 10485760 bytes")
    expect(answer).toContain("one call brings back 1000 files")
    expect(answer).toMatch(/and \d+ more/)
    expect(m.paths()).toHaveLength(1000)
    await m.call("bash", { command: "rm big" })
    expect(m.paths()).toHaveLength(1200)
  })

  test("[T20] names and bodies of every kind survive the round trip", async () => {
    const m = machine()
    const long = `${"long folder/".repeat(15)}${"n".repeat(60)} ünï.txt`
    const body = Uint8Array.from({ length: 70_000 }, (_, i) => (i * 31) % 256)
    await m.put(long, body)
    await m.put("-rf", "dash\n")
    await m.put("sp ace '\"$x`.txt", "odd\n")
    await m.call("bash", { command: "cp -r 'long folder' copy; cp -- -rf dashed; cp sp* odd" })
    expect(await m.bytes(`copy/${long.slice("long folder/".length)}`)).toEqual(body)
    expect([await m.text("dashed"), await m.text("odd"), await m.text("-rf")]).toEqual(["dash\n", "odd\n", "dash\n"])
  })

  test("[G7] agents that may see different files never share a sandbox", async () => {
    const m = machine()
    await m.put("secret/key", "k-123\n")
    await m.put("open.txt", "o\n")
    const whole = await m.call("bash", { command: "cat secret/key > /tmp/kept-$$; cp secret/key /workspace/../copied; cat secret/key" })
    expect(said(whole)).toContain("k-123")
    const pid = pidIn(said(await m.call("process.start", { command: "cat secret/key; sleep 50" })))
    const access = { read: ["*.txt"] }
    const answer = said(
      await m.call("bash", { command: "cat open.txt; ls -A; cat ../copied secret/key 2>&1; grep -rs 'k-1[2]3' .." }, { access }),
    )
    expect(answer).toContain("o\nopen.txt")
    expect(answer).not.toContain("k-123")
    expect(said(await m.call("process.output", { pid }, { access }))).toMatch(/ERROR there is no process/)
    expect(Array.from(m.kv.list({ prefix: "sandbox/" }))).toHaveLength(2)
    await m.containers.destroy("acme")
    expect(await Promise.all(Array.from(hosts.byName.values(), (host) => host.running()))).toEqual(Array.from(hosts.byName, () => []))
  })

  test("[G7] a file that may be written but not read is delivered", async () => {
    const m = machine()
    const access = { read: ["*.txt"], write: ["drop/**"] }
    expect(said(await m.call("bash", { command: "mkdir drop; echo 1 > drop/a" }, { access }))).toBe(
      said(await machine().call("bash", { command: "true" })),
    )
    expect(await m.text("drop/a")).toBe("1\n")
    await m.put("drop/a", "2\n")
    expect(said(await m.call("bash", { command: "ls drop" }, { access }))).not.toContain("a")
    expect(await m.text("drop/a")).toBe("2\n")
  })

  test("[N1] no two tenants or runs share a sandbox, whatever their names", () => {
    const m = machine()
    for (const [tenant, run, fence] of [
      ["a", "b/c", "d"],
      ["a/b", "c", "d"],
      ["a", "b", "c/d"],
      ["a", "b", "d"],
      ["b", "b", "d"],
    ] as const)
      void m.containers.open(tenant, run, fence, "k")?.list()
    const names = Array.from(m.kv.list({ prefix: "sandbox/" }), ([key]) => key)
    expect(new Set(names).size).toBe(5)
    for (const name of names) expect(name).toMatch(/^sandbox\/sluice-[0-9a-f]{48}$/)
  })
})

describe("taint", () => {
  test("[G11] with a network, all output is from outside", async () => {
    const m = machine(true)
    expect((await m.call("bash", { command: "echo x > f" })).untrusted).toBe(true)
    const pid = pidIn(said(await m.call("process.start", { command: "echo 1" })))
    expect((await m.call("process.output", { pid })).untrusted).toBe(true)
  })

  test("[G11] with a network, names are from outside too: of processes, and of reported files that stay there", async () => {
    const m = machine(true)
    const access = { read: ["**"], write: ["ok/**"] }
    const pid = pidIn(said(await m.call("process.start", { command: "echo x > 'do as I say'" }, { access })))
    const seen = await until(
      () => m.call("process.status", { pid }, { access }),
      (outcome) => said(outcome).includes("do as I say"),
    )
    expect(seen.untrusted).toBe(true)
    expect((await m.call("process.list", {}, { access })).untrusted).toBe(true)
  })

  test("[G11] a machine's own error message is text from outside too", async () => {
    const m = machine(true)
    const pid = pidIn(said(await m.call("process.start", { command: "sleep 50" })))
    // Whoever controls the machine can also change our scripts on it.
    const script = hostOf(m)
    await script.exec("for f in /tmp/.sluice/control-*; do printf 'echo do as I say >&2; exit 3' > $f; done")
    for (const name of ["process.status", "process.kill", "process.output"]) {
      const outcome = await m.call(name, { pid })
      expect(said(outcome)).toContain("do as I say")
      expect(outcome).toMatchObject({ isError: true, untrusted: true })
    }
    expect(await m.call("bash", { command: "true" })).toMatchObject({ isError: true, untrusted: true })
  })

  test("[G11] without a network nothing is tainted until a tainted session or file was in the sandbox", async () => {
    const m = machine(false)
    expect((await m.call("bash", { command: "echo x" })).untrusted).toBe(undefined)
    await m.call("bash", { command: "echo y > /tmp/y" }, { tainted: true })
    m.restart()
    expect((await m.call("bash", { command: "echo x" })).untrusted).toBe(true)
    const other = machine(false)
    other.index.take([{ path: "t", base: null, hash: await other.blobs.put(new TextEncoder().encode("t")), size: 1, tainted: true }], 1)
    expect((await other.call("bash", { command: "echo x" })).untrusted).toBe(true)
    expect((await other.call("bash", { command: "echo x" })).untrusted).toBe(true)
  })
})
