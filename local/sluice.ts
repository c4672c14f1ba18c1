#!/usr/bin/env node
// `npm run sluice -- COMMAND`: the command line, on the same client that anybody can use. Exit codes: 0 done, 1 failed (a run, the server),
// 2 typed wrongly, 3 not valid (a file, or what the server was sent).

import { SluiceError } from "../src/client/sluice-error.ts"
import { Sluice } from "../src/client/sluice.ts"
import { readLine } from "./command-line.ts"
import { commandOf } from "./commands.ts"
import { plain } from "./show-run.ts"
import { runMain, Trouble } from "./trouble.ts"

// Whoever reads may have read enough: `sluice runs | head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1))

await runMain(async () => {
  let url = ""
  try {
    const typed = readLine(process.argv.slice(2), process.env)
    url = typed.url
    process.exitCode = await commandOf(typed.command)(new Sluice({ url, key: typed.key }), typed, process.stdout)
  } catch (error) {
    // What it quotes may be anybody's text [E1].
    if (error instanceof SluiceError) throw new Trouble(plain(told(error, url)), error.status === 422 ? 3 : 1)
    throw error instanceof Trouble ? new Trouble(error.message, error.code ?? 2) : error
  }
})

function told(error: SluiceError, url: string): string {
  if (error.code === "network") return `no answer from ${url}: is it served? (npm run serve)`
  const places = error.errors.map(({ pointer, line, message, suggestion }) => {
    const place = `${pointer}${line === undefined ? "" : `:${line}`}`
    return `\n  ${place === "" ? "" : `${place}: `}${message}${suggestion === undefined ? "" : ` (${suggestion})`}`
  })
  return places.length === 0 ? `${error.message} (${error.status} ${error.code})` : `${error.code}:${places.join("")}`
}
