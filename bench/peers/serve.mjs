// The door of a peer that is a library: POST /w1 … /w5 runs the workload and answers when its run has ended. A peer's process writes one
// line when it is ready, `{"url": …}`, where `{work}`, `{id}` and `{key}` stand for the workload, a new run's id
// and, in w5, its key.

import { createServer } from "node:http"

/** `--data=FOLDER --model=URL`: where the peer keeps its state, and the model's address for w4. */
export function setting(name) {
  const value = process.argv.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3)
  if (value === undefined) throw new Error(`--${name}=… is missing: bench/peers/processes.ts starts this file`)
  return value
}

/** `keyed`: for w5, if its runs have an address of their own. */
export const ready = (url, keyed) => void process.stdout.write(`${JSON.stringify({ url, keyed })}\n`)

/** `works` has a function per workload, of the run's id and key; it returns the times at which steps were carried out. */
export function serve(works) {
  const server = createServer((request, response) => {
    const [, work, id, key] = (request.url ?? "").split("/")
    request.resume()
    request.once("end", () => {
      answer(works[work], id, key).then(
        (at) => response.setHeader("content-type", "application/json").end(JSON.stringify({ at })),
        (error) => response.writeHead(500).end(String(error?.stack ?? error)),
      )
    })
  })
  server.listen(0, "127.0.0.1", () => ready(`http://127.0.0.1:${server.address().port}/{work}/{id}/{key}`))
}

async function answer(work, id, key) {
  if (work === undefined) throw new Error("no such workload")
  return work(id, key)
}
