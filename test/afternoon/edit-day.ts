// Walks the edit loop: init, dev, a first run, and every mistake with what must be said about it.

import { applicationOf, SECRETS, settingsOf } from "./application.ts"
import type { Book } from "./book.ts"
import { MISTAKES, type Mistake } from "./mistakes.ts"
import type { Terminal } from "./terminal.ts"
import type { Town } from "./town.ts"
import type { User } from "./user.ts"

/** What ends a round of `dev` about a save. */
const VERDICT = /: (?:not )?valid\b.*\(\d+ ms\)/
const ENDED = /done after \d+ ms/

export async function editDay(user: User, town: Town, book: Book): Promise<Terminal> {
  await book.stage("npx sluice init", "1 s", async () => {
    const done = await user.type("npx", ["sluice", "init"])
    book.says("init makes a project in a folder that npm init made, and says what comes next", done.out, [
      /package\.json exists and is completed: scripts/,
      /npx sluice dev/,
      /npx sluice run hello/,
    ])
  })
  await user.write(settingsOf(town))
  const dev = await book.stage("the first npx sluice dev, until done", "24.6 s, silent", async () => {
    const opened = user.open(["dev", "--port", "0"])
    const { text } = await opened.until([ENDED])
    book.says("dev says what it does while it starts, and that the tests pass", text, [
      /starting the server/,
      /serves http/,
      /ok\s+hello: a greeting is written and checked/,
    ])
    return opened
  })
  await book.stage("an edit, to its verdict", "0.2–0.5 s", async () => {
    const at = dev.here
    const text = (await user.read("agents/greeter.md")) ?? ""
    await user.write({ "agents/greeter.md": text.replace("in one sentence", "in one short sentence") })
    await dev.until([/agents\/greeter\.md: valid/], at)
  })
  await dev.until([ENDED, /done after[\s\S]*done after/])
  await book.stage("sluice run", "2.5–5 s", async () => {
    const done = await user.sluice(["run", "hello", "--rehearse", "--task", "Greet Ada."])
    book.says("a run is shown live", done.out, [/run succeeded/, /Good day, Ada\./])
  })
  await book.stage("the files of the application, to their verdict", "of 25 min", async () => {
    const [at, files] = [dev.here, applicationOf(town)]
    await user.write(files)
    const { missing, text } = await dev.until([/: valid/], at)
    book.check("dev finds the application valid", missing.length === 0 && !/not valid[^\n]*\n(?![\s\S]*: valid)/.test(text), text)
    for (const [name, value] of Object.entries(SECRETS)) {
      const put = await user.sluice(["secrets", "put", name], { input: value })
      book.check(`the secret ${name} is kept`, put.code === 0, put.out)
    }
    const checked = await user.sluice(["validate"])
    book.says("validate agrees, without a warning", checked.out, [/\d+ files: valid\n/])
  })
  await book.stage(`${MISTAKES.length} mistakes, each to its message`, "of 14 min", async () => {
    for (const mistake of MISTAKES) await make(mistake, user, book, dev)
  })
  return dev
}

/** Makes it, reads what is said, and takes it back. */
async function make({ what, files, says }: Mistake, user: User, book: Book, dev: Terminal): Promise<void> {
  const before = Object.fromEntries(await Promise.all(Object.keys(files).map(async (name) => [name, await user.read(name)] as const)))
  let at = dev.here
  await user.write(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [name, typeof text === "string" ? text : text(before[name] ?? "")])),
  )
  const { text } = await dev.until([VERDICT, ...says], at, 8_000)
  book.says(`${what}: it is said where, and what to do`, text, says)
  at = dev.here
  for (const [name, text] of Object.entries(before)) await (text === undefined ? user.remove(name) : user.write({ [name]: text }))
  const { missing, text: after } = await dev.until([/: valid\b/], at, 15_000)
  if (missing.length > 0) book.check(`${what}: taken back, all is valid again`, false, after)
}
