import { FORMAT } from "../../src/engine/version.ts"
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { expect, onTestFinished, test, vi } from "vitest"
import { claimDataFolder } from "../../local/data-folder.ts"
import { bundleOf } from "../../local/definition-files.ts"
import { lockFolder } from "../../local/folder-lock.ts"
import { LogFile } from "../../local/log-file.ts"
import { RuntimeWatch } from "../../local/runtime-watch.ts"

/** Every file by its path. */
async function contentsOf(home: string): Promise<Record<string, string>> {
  const files = (await readdir(home, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const paths = files.map((entry) => path.join(entry.parentPath, entry.name))
  return Object.fromEntries(
    await Promise.all(paths.map(async (file) => [path.relative(home, file), await readFile(file, "utf8")] as const)),
  )
}

async function folder(): Promise<string> {
  const made = await mkdtemp(path.join(tmpdir(), "sluice-folder-"))
  onTestFinished(() => rm(made, { recursive: true, force: true }))
  return made
}

test.each([
  ["a short path", ""],
  ["a path that is longer than an address of a socket may be", `${"long-".repeat(24)}x`],
])("[J14] a folder is held by one server, also where its process is not seen, at %s", async (_, name) => {
  const home = path.join(await folder(), name)
  await mkdir(home, { recursive: true })
  const lock = await lockFolder(home)
  expect(lock).toBeDefined()
  expect(await lockFolder(home)).toBeUndefined()
  // The note names a process of another container, which is not running here.
  await writeFile(path.join(home, "server.json"), JSON.stringify({ launcher: { pid: 4_194_000, started: "elsewhere" } }))
  await expect(claimDataFolder(home)).rejects.toThrow("is in use by another server: stop it, or use another folder")
  await lock?.release()
  const claimed = await claimDataFolder(home)
  await expect(claimDataFolder(home)).rejects.toThrow("is in use by another server (process ")
  await claimed.release()
  await (await lockFolder(home))?.release()
})

test("[J14] what a killed server left of its lock is no lock", async () => {
  const home = await folder()
  await writeFile(path.join(home, "server.sock"), "")
  const lock = await lockFolder(home)
  expect(lock).toBeDefined()
  await lock?.release()
})

test.each([
  ["of an earlier build, without a format number", undefined],
  [`of format ${FORMAT + 1}`, `${FORMAT + 1}\n`],
])("[J26] a folder %s is refused with the command that moves it aside, and nothing in it changes", async (what, number) => {
  const home = path.join(await folder(), "my data")
  // As every build lays its objects out.
  await mkdir(path.join(home, "do", "sluice-TenantObject"), { recursive: true })
  await writeFile(path.join(home, "do", "sluice-TenantObject", "0a.sqlite"), "rows")
  if (number !== undefined) await writeFile(path.join(home, "format"), number)
  await mkdir(`${home}.old`)
  const before = await contentsOf(home)
  await expect(claimDataFolder(home)).rejects.toThrow(
    `the data folder ${home} is ${what}, and Sluice 0.1.0 reads format ${FORMAT} only and carries no data of earlier builds: ` +
      `move it aside with \`mv '${home}' '${home}.old-2'\`, then start again`,
  )
  expect(await contentsOf(home)).toEqual(before)
})

test("[J26] an empty folder takes the number before the first data, and is taken again", async () => {
  const home = path.join(await folder(), "data")
  await (await claimDataFolder(home)).release()
  expect(await contentsOf(home)).toEqual({ format: `${FORMAT}\n` })
  await mkdir(path.join(home, "do"))
  await (await claimDataFolder(home)).release()
})

test("[J26] a start writes no number over one that is there, and a full disk that took an empty file is no earlier build", async () => {
  const home = await folder()
  const file = path.join(home, "format")
  await writeFile(file, `${FORMAT}\n`)
  await utimes(file, 1, 1)
  await (await claimDataFolder(home)).release()
  expect((await stat(file)).mtimeMs).toBe(1_000)
  await writeFile(file, "")
  await (await claimDataFolder(home)).release()
  expect(await readFile(file, "utf8")).toBe(`${FORMAT}\n`)
})

test("a folder that cannot be made is one sentence", async () => {
  const home = await folder()
  await writeFile(path.join(home, "file"), "")
  await expect(claimDataFolder(path.join(home, "file"))).rejects.toThrow(
    /^the data folder .*file cannot be made: a file is in its place: move it away \(EEXIST\)$/,
  )
  await expect(claimDataFolder(path.join(home, "file", "data"))).rejects.toThrow("a file is where a folder belongs")
  if (process.getuid?.() === 0) return
  await chmod(home, 0o500)
  await expect(claimDataFolder(path.join(home, "data"))).rejects.toThrow("permission denied")
})

test("[N8] a line that cannot be written is dropped, and the log goes on when it can be again", async () => {
  const home = await folder()
  const file = path.join(home, "logs", "server.log")
  const log = new LogFile(file)
  log.write("lost\n")
  await vi.waitFor(async () => {
    await mkdir(path.dirname(file), { recursive: true })
    log.write("kept\n")
    expect(await readFile(file, "utf8")).toContain("kept\n")
  })
})

test("[J10] a runtime that cannot be started again, or dies again and again, is lost", () => {
  const quiet = (watch: RuntimeWatch): RuntimeWatch => Object.assign(watch, { logWithLevel: () => undefined })
  const lost: string[] = []
  let now = 0
  const watch = quiet(
    new RuntimeWatch(
      (why) => lost.push(why),
      () => now,
    ),
  )
  const crash = (): void => watch.warn("The Workers runtime crashed unexpectedly and is being restarted (crash #1).")
  for (let i = 0; i < 20; i++, now += 10_000) crash()
  watch.warn("something else")
  expect(lost).toEqual([])
  now += 60_000
  for (let i = 0; i < 8; i++) crash()
  expect(lost).toEqual(["it died 8 times within a minute"])
  watch.error(new Error("The Workers runtime failed to restart after an unexpected crash."))
  expect(lost.at(-1)).toBe("it could not be started again after it had died")
})

test("[F73] a folder of the project that is a link, and a setting that links outside, are refused", async () => {
  const [home, outside] = [await folder(), await folder()]
  await mkdir(path.join(home, "flows"))
  await writeFile(path.join(outside, "SKILL.md"), "secret")
  await writeFile(path.join(outside, "policy.yaml"), "secret")
  for (const target of [outside, path.join(home, "flows"), path.join(home, "nowhere")]) {
    await symlink(target, path.join(home, "skills"))
    await expect(bundleOf(home)).rejects.toThrow(/skills is a link to a folder: put a copy in its place/)
    await rm(path.join(home, "skills"))
  }
  await symlink(path.join(outside, "policy.yaml"), path.join(home, "policy.yaml"))
  await expect(bundleOf(home)).rejects.toThrow("policy.yaml is a link to a file outside the project")
})
