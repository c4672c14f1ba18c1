#!/usr/bin/env node
// `sluice COMMAND`: the command line, built on the public client. In this repository: `npm run sluice -- COMMAND`.

import module from "node:module"

// Half of what a command takes is reading its own code; Node 20 has no such cache.
module.enableCompileCache?.()
const { main } = await import("./main.ts")

const reader = { mayGo: true }

// The reader may close the pipe early: `sluice runs | head`. What an apply has begun, it ends.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE" && !reader.mayGo) return
    if (error.code === "EPIPE") process.exit(0)
    if (stream === process.stdout) process.stderr.write(`sluice: the output cannot be written: ${error.message}\n`)
    process.exit(1)
  })

process.exitCode = await main(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  out: process.stdout,
  err: process.stderr,
  input: process.stdin,
  reader,
})
