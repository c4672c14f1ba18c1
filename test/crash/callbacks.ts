// Callbacks under kills [W6]: a receiver that fails, then goes down together with the server, then returns; and a kill at the moment
// it accepts a message. Every end is reported at least once, under one id, signed.

import { createHmac } from "node:crypto"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import { z } from "zod"
import { lastingPort } from "./port.ts"
import type { Scene } from "./scene.ts"

const SECRET = Buffer.from("a key of the receiver's own, long").toString("base64")
const NAMES = ["case-c1", "case-c2", "case-c3", "case-broken-c4"]
const Told = z.looseObject({ type: z.string(), data: z.looseObject({ run: z.string() }) })
const Messages = z.object({ data: z.array(z.looseObject({ id: z.string(), status: z.string(), attempts: z.number() })) })
/** An attempt that a kill interrupts may have arrived and is not counted. */
const KILLS = 2

interface Message {
  readonly id: string
  readonly run: string
  readonly type: string
  readonly text: string
  readonly isSigned: boolean
  readonly isTaken: boolean
}

class Receiver {
  readonly got: Message[] = []
  isFailing = true
  readonly #port: number
  #server: Server | undefined
  #taken: (() => void) | undefined

  constructor(port: number) {
    this.#port = port
  }

  async open(): Promise<void> {
    const server = createServer((incoming, response) => {
      const parts: Buffer[] = []
      incoming.on("data", (part: Buffer) => parts.push(part))
      incoming.once("end", () => {
        const text = Buffer.concat(parts).toString("utf8")
        const said = Told.parse(JSON.parse(text))
        const [id, at] = [String(incoming.headers["webhook-id"]), String(incoming.headers["webhook-timestamp"])]
        const proof = createHmac("sha256", Buffer.from(SECRET, "base64")).update(`${id}.${at}.${text}`).digest("base64")
        const isSigned = String(incoming.headers["webhook-signature"]).split(" ").includes(`v1,${proof}`)
        const isTaken = !this.isFailing
        this.got.push({ id, run: said.data.run, type: said.type, text, isSigned, isTaken })
        response.writeHead(isTaken ? 204 : 503).end(() => {
          if (isTaken) this.#taken?.()
        })
      })
    })
    server.listen(this.#port, "127.0.0.1")
    await once(server, "listening")
    this.#server = server
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/callback`
  }

  /** When it answered a message with 204. */
  taken(): Promise<void> {
    return new Promise((resolve) => {
      this.#taken = resolve
    })
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections()
    this.#server?.close()
    if (this.#server?.listening) await once(this.#server, "close")
  }
}

export async function playCallbacks(scene: Scene): Promise<void> {
  const receiver = new Receiver(await lastingPort())
  await receiver.open()
  try {
    await scene.client.put("/v1/secrets/receiver", { value: `whsec_${SECRET}` })
    const callback = { url: receiver.url, secret: "receiver", events: ["run.succeeded", "run.failed"] }
    const ids = await Promise.all(NAMES.map((name) => scene.start("work", name, { callback })))
    for (const id of ids) await scene.ended(id)
    await scene.insist("a first try", async () => receiver.got[0])
    await receiver.close()
    await scene.kill("callbacks: the receiver has failed and is down")
    receiver.isFailing = false
    const taken = receiver.taken()
    await receiver.open()
    await taken
    await scene.kill("callbacks: a message was just taken")

    for (const [i, id] of ids.entries()) {
      const messages = await scene.insist(`the report on the end of ${NAMES[i]}`, async () => {
        const data = Messages.parse((await scene.call("GET", `/v1/callback-deliveries?run=${id}`)).said).data
        return data.length > 0 && data.every((it) => it.status !== "pending") ? data : undefined
      })
      const messagesOfRun = receiver.got.filter((it) => it.run === id)
      const wanted = NAMES[i]?.includes("broken") ? "run.failed" : "run.succeeded"
      const fault = (holds: boolean): string | undefined =>
        holds ? undefined : `${NAMES[i]} (${id}): ${JSON.stringify(messagesOfRun.map(({ text: _text, ...it }) => it))}`
      scene.check("[W6] the end of a run is reported at least once", fault(messagesOfRun.some((it) => it.isTaken && it.type === wanted)))
      scene.check(
        "[W6] an event has one webhook-id and one body, however often it arrives",
        fault(new Set(messagesOfRun.map((it) => it.id + it.text)).size === 1),
      )
      scene.check("[W6] every attempt is signed", fault(messagesOfRun.every((it) => it.isSigned)))
      scene.check(
        "[W6] the log records the delivery",
        messages.length === 1 && messages[0]?.status === "delivered" ? undefined : JSON.stringify(messages),
      )
    }
    const { data: sent } = Messages.parse((await scene.call("GET", "/v1/callback-deliveries?limit=200")).said)
    const strange = receiver.got.find((it) => !sent.some(({ id }) => id === it.id))
    scene.check("[W6] the receiver gets nothing that the tenant's log does not have", strange && `${strange.id} about ${strange.run}`)
    for (const { id, status, attempts } of sent) {
      const came = receiver.got.filter((it) => it.id === id)
      const taken = came.filter((it) => it.isTaken).length
      const isTold = taken > 0 === (status === "delivered") && came.length <= attempts + KILLS
      scene.check(
        "[W6] the log says what the receiver took, and how often it was tried",
        isTold ? undefined : `${id} is ${status} after ${attempts} attempts, ${came.length} came and ${taken} were taken`,
      )
    }
    const ways = new Set(receiver.got.map((it) => it.id)).size
    scene.check("[W6] no two events share a webhook-id", ways === NAMES.length ? undefined : `${ways} ids for ${NAMES.length} events`)
  } finally {
    await receiver.close()
  }
}
