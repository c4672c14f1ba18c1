#!/usr/bin/env node
// `sluice COMMAND`: the command line, built on the public client. In this repository: `npm run sluice -- COMMAND`.

import { main } from "./main.ts"

// The reader may close the pipe early: `sluice runs | head`.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1))

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  out: process.stdout,
  err: process.stderr,
  input: process.stdin,
})
