// `npm run afternoon`: an afternoon of a new user, from an empty folder to a support application that runs, on Node 20. It uses what such a user has:
// the packed tarball, the command line, files, HTTP and Python, and nothing of this repository. Whatever answers otherwise than it should is a
// failure. Ends with the times beside those of the report of November 2026, and `N passed, N failed`.
//
//   npm run afternoon                 makes the tarball first; `-- --made` takes the one in dist
//   npm run afternoon -- --short      for the gate: without the page in React

import { spawnSync } from "node:child_process"
import { globSync } from "node:fs"
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import path from "node:path"
import { fileURLToPath } from "node:url"
import { node20 } from "../package/node-20.ts"
import { applicationDay } from "./application-day.ts"
import { Book } from "./book.ts"
import { clientsDay } from "./clients-day.ts"
import { editDay } from "./edit-day.ts"
import { Town } from "./town.ts"
import { User } from "./user.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const isShort = process.argv.includes("--short")
const home = await mkdtemp(path.join(tmpdir(), "sluice-afternoon-"))
const book = new Book()
const town = await Town.open()
const user = new User(home, await node20(home), path.join(home, "support"))

process.once("SIGINT", () => process.exit(130))
process.once("SIGTERM", () => process.exit(143))

function tarball(): string {
  if (!process.argv.includes("--made")) {
    const made = spawnSync("npm", ["run", "--silent", "package"], { cwd: root, encoding: "utf8" })
    book.says("one command makes the tarball and names it", made.stdout + made.stderr, [/npm install \S+\.tgz/])
  }
  const [file] = globSync("dist/*.tgz", { cwd: root })
  if (file === undefined) throw new Error("there is no tarball in dist: npm run package")
  return path.join(root, file)
}

try {
  const file = await book.stage("the tarball", "5 min 40 s, 6 commands", () => Promise.resolve(tarball()))
  await mkdir(user.folder)
  await book.stage("npm init, npm install TARBALL", "16 s", async () => {
    const done = [
      await user.type("npm", ["init", "-y"]),
      await user.type("npm", ["install", "--no-audit", "--no-fund", file]),
      // For the types of handlers, as validate asks for it.
      await user.type("npm", ["install", "--no-audit", "--no-fund", "--save-dev", "typescript"]),
    ]
    book.check(
      "the tarball installs in an empty folder",
      done.every(({ code }) => code === 0),
      done.map(({ out }) => out).join("\n"),
    )
  })
  const dev = await editDay(user, town, book)
  const url = /Sluice serves (http\S+)/.exec(dev.since(0))?.[1] ?? ""
  await applicationDay(user, town, url, book)
  await clientsDay(user, url, book, isShort)
} catch (error) {
  book.check(error instanceof Error ? (error.stack ?? error.message) : String(error), false, "")
} finally {
  await user.leave()
  town.close()
  await rm(home, { recursive: true, force: true, maxRetries: 5 })
}
console.log(`\n${book.table()}\n\n${book.passed} passed, ${book.failed} failed`)
process.exitCode = book.failed > 0 || book.passed === 0 ? 1 : 0
