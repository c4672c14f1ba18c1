// A signing key as the instance has one [K41], in memory; and receipts made with it.

import { generateKeyPairSync, sign } from "node:crypto"
import type { RunEvent } from "../../../src/core/run/event.ts"
import type { Plan } from "../../../src/core/run/plan.ts"
import { footerText, sealText, EventFacts, type Definition, type Header } from "../../../src/engine/receipt/receipt.ts"
import { verify } from "../../../src/engine/receipt/verify.ts"
import type { Footer, PublicKey, Seal, SigningPort, Verified } from "../../../src/ports/tenant/receipts.ts"
import { sha256 } from "../kernel/golden.ts"
import { Restless } from "./restless.ts"

export const BUILD = "1.2.3"

export class Signer implements SigningPort {
  readonly #pair = generateKeyPairSync("ed25519")
  readonly key: PublicKey

  constructor(kid = "sig_test") {
    const { x = "" } = this.#pair.publicKey.export({ format: "jwk" })
    this.key = { kty: "OKP", crv: "Ed25519", x, kid, use: "sig", alg: "EdDSA" }
  }

  async keys(): Promise<PublicKey[]> {
    return [this.key]
  }

  async rotate(): Promise<PublicKey> {
    return this.key
  }

  async sign({ header, events, head, at }: Seal): Promise<Footer> {
    const { kid } = this.key
    const text = sealText({ header, events, head, at }, kid)
    return { header, events, head, at, key: kid, signature: sign(null, Buffer.from(text), this.#pair.privateKey).toString("base64url") }
  }

  verify(bytes: Uint8Array): Promise<Verified> {
    return verify(bytes, { keys: [this.key], hash: sha256, build: BUILD, breath: new Restless() })
  }

  /** The receipt of an ended run, whose definitions have these texts. */
  async receipt(plan: Plan, events: readonly RunEvent[], texts: ReadonlyMap<string, string>, more: Partial<Header> = {}): Promise<string> {
    const told = new EventFacts()
    for (const e of events) told.take(e)
    const definitions: Definition[] = told.paths.map((d) => ({ ...d, text: texts.get(d.hash) ?? "" }))
    const header: Header = {
      receipt: 1,
      run: told.run,
      flow: plan.flow.id,
      status: "succeeded",
      build: BUILD,
      tenant: sha256("t"),
      events: events.length,
      definitions,
      children: told.children,
      tools: [...plan.tools.values()],
      ...more,
    }
    const lines = [JSON.stringify(header), ...events.map((e) => JSON.stringify(e))]
    const head = sha256(lines.at(-1) ?? "")
    const footer = await this.sign({ header: sha256(lines[0] ?? ""), events: events.length, head, at: events.at(-1)?.at ?? 0 })
    return [...lines, footerText(footer), ""].join("\n")
  }
}
