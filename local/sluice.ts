#!/usr/bin/env node
// `npm run sluice -- COMMAND`: the command line, built on the public client. Exit codes: 0 done, 1 failed (a run, the server),
// 2 usage error, 3 invalid (a file or a request).

import { SluiceError } from "../src/client/sluice-error.ts"
import { Sluice } from "../src/client/sluice.ts"
import { readLine } from "./command-line.ts"
import { commandOf } from "./commands.ts"
import { plain } from "./show-run.ts"
import { runMain, Trouble } from "./trouble.ts"

// The reader may close the pipe early: `sluice runs | head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1))

await runMain(async () => {
  let url = ""
  try {
    const typed = readLine(process.argv.slice(2), process.env)
    url = typed.url
    process.exitCode = await commandOf(typed.command)(new Sluice({ url, key: typed.key }), typed, process.stdout)
  } catch (error) {
    // The message may quote untrusted text [E1].
    if (error instanceof SluiceError) throw new Trouble(plain(describe(error, url)), error.status === 422 ? 3 : 1)
    throw error instanceof Trouble ? new Trouble(error.message, error.code ?? 2) : error
  }
})

function describe(error: SluiceError, url: string): string {
  if (error.code === "network") return `no answer from ${url}: is the server running? (npm run serve)`
  const places = error.errors.map(({ pointer, line, message, suggestion }) => {
    const place = `${pointer}${line === undefined ? "" : `:${line}`}`
    return `\n  ${place === "" ? "" : `${place}: `}${message}${suggestion === undefined ? "" : ` (${suggestion})`}`
  })
  return places.length === 0 ? `${error.message} (${error.status} ${error.code})` : `${error.code}:${places.join("")}`
}
