// Starts runs in its own thread on several connections, as fast as they are answered, and ignores the answers.

import { Agent, request } from "node:http"
import { parentPort, workerData } from "node:worker_threads"
import { z } from "zod"

const { url, key, path, connections } = z
  .object({ url: z.string(), key: z.string(), path: z.string(), connections: z.number() })
  .parse(workerData)
const agent = new Agent({ keepAlive: true, maxSockets: connections })
const body = JSON.stringify({ task: "go", autonomous: true })
const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "content-length": Buffer.byteLength(body) }

let isOn = false
let under = 0
let asked = 0
let begun = 0

function ask(): void {
  under++
  const again = (): void => {
    under--
    if (isOn) ask()
  }
  const call = request(url + path, { method: "POST", agent, headers }, (answer) => {
    asked++
    if (answer.statusCode === 202) begun++
    answer.resume()
    answer.once("close", again)
  })
  call.once("error", again)
  call.end(body)
}

parentPort?.on("message", (word: "on" | "off" | "count") => {
  if (word !== "count") isOn = word === "on"
  while (isOn && under < connections) ask()
  parentPort?.postMessage({ asked, begun })
})
