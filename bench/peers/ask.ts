// Sends each request on a connection of its own, as bench/api.ts does, so that the client costs every contender the same.

import { Agent, request } from "node:http"

const agent = new Agent({ keepAlive: false })

/** The answer's body; another status than 2xx is an error. */
export async function bodyOf(method: string, url: string, body = "", headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    const call = request(url, { method, agent, headers: { "content-length": Buffer.byteLength(body), ...headers } })
    call.once("error", reject)
    call.once("response", (answer) => {
      const parts: Buffer[] = []
      answer.on("data", (part: Buffer) => parts.push(part))
      answer.once("error", reject)
      answer.once("end", () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }))
    })
    call.end(body)
  })
  if (status < 200 || status > 299) throw new Error(`${method} ${url}: ${status} ${text.slice(0, 2_000)}`)
  return text
}
