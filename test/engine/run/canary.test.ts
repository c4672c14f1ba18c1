// A canary: a secret that a tool receives, and that comes back from everywhere in every form, can be read nowhere [S11] [T32].

import { expect, test } from "vitest"
import { DEFAULT_RULES } from "../../../src/core/tool/policy/policy.ts"
import { Redactor } from "../../../src/core/secrets/redact.ts"
import { view } from "../../../src/core/run/views/view.ts"
import { formsOf } from "../../../src/core/secrets/secret-forms.ts"
import { scopedSecrets } from "../../../src/engine/run/call/tool-secrets.ts"
import type { Tool } from "../../../src/ports/tool.ts"
import { agent, done, flow, Stand } from "../../support/engine/stand.ts"

const SECRET = 'k3y/"+unique=7f3ä 9b'
const OLD = "the-value-before-it"
const VAULT = new Map([
  ["vault", [SECRET, OLD]],
  ["other", ["none-of-its-business"]],
])
const bytes = Buffer.from(SECRET)
const ALL = [
  SECRET,
  OLD,
  JSON.stringify(SECRET),
  JSON.stringify(JSON.stringify(SECRET)),
  encodeURIComponent(SECRET),
  new URLSearchParams({ q: SECRET }).toString(),
  bytes.toString("base64"),
  Buffer.from(`Bearer ${SECRET}`).toString("base64"),
  Buffer.from(`u:${SECRET}`).toString("base64url"),
  bytes.toString("hex"),
  bytes.toString("hex").toUpperCase(),
].join(" ")

const got: unknown[] = []
const tool = (name: string, execute: Tool["execute"]): Tool => ({
  name,
  description: name,
  parameters: { type: "object", properties: { say: { type: "string" } }, additionalProperties: false },
  effect: "read",
  contexts: ["agent"],
  requiredSecretScopes: ["vault"],
  execute,
})
const echo = tool("echo_it", async (_id, { say }, _signal, onUpdate, powers) => {
  got.push(say, await powers.secrets?.get("vault"), await powers.secrets?.get("other"))
  onUpdate?.({ content: [{ type: "text", text: `mark-partial ${ALL}` }] })
  return { content: [{ type: "text", text: `mark-echo ${ALL}\n`.repeat(3_000) }], details: { [SECRET]: [`mark-details ${ALL}`] } }
})
const fail = tool("fail_it", async () => {
  throw new Error(`mark-fail ${ALL}`)
})

test("[T32] [S11] a secret given to a tool is in no event, request, frame, view, stored output or error", async () => {
  const stand = new Stand(flow("  - { id: a, type: agent, agent: a }\n"), [agent("a", "tools: echo_it, fail_it\n")], [echo, fail])
  stand.rules = { ...DEFAULT_RULES, version: 1, scopes: ["vault", "other"] }
  const secrets = scopedSecrets(echo, async () => VAULT)
  stand.powers = secrets ? { secrets } : {}
  stand.redactor = new Redactor(VAULT)
  stand.start()

  const requests: unknown[] = []
  const next = async (): Promise<Awaited<ReturnType<Stand["next"]>>> => {
    const asked = await stand.next("a")
    requests.push(asked.request)
    return asked
  }
  await (await next()).answer({ error: { status: 503, retryable: true, message: `mark-failure ${ALL}` } })
  stand.now += 60_000
  stand.conductor.tick()
  await (
    await next()
  ).answer({
    deltas: ["mark-del", "ta ", ...Array.from(`${SECRET} ${ALL}`)],
    calls: [
      { name: "echo_it", args: { say: `mark-args ${ALL}` } },
      { name: "fail_it", args: {} },
      { name: "fail_it", args: `{"mark-raw": ${ALL}` },
    ],
  })
  await stand.settle()
  await (await next()).answer(done(`mark-finish ${ALL}`))
  expect(stand.conductor.run.status).toBe("succeeded")
  expect(stand.faults).toEqual([])

  expect(got[0]).toMatch(/^mark-args \[secret:vault\] \[secret:vault\] "/)
  expect(got.slice(1)).toEqual([SECRET, undefined])
  const handles = stand.conductor.run.handles
  expect(handles).toHaveLength(1)
  const outputs = await Promise.all(handles.map(async (h) => new TextDecoder().decode(await stand.blobs.get(h))))
  const seen = {
    events: JSON.stringify(stand.events()),
    snapshot: JSON.stringify(stand.journal.snapshot() ?? null),
    view: JSON.stringify(view(stand.conductor.run)),
    requests: JSON.stringify(requests),
    frames: stand.frames.join(""),
    outputs: outputs.join(""),
  }
  for (const mark of ["mark-echo", "mark-details", "mark-fail", "mark-failure", "mark-delta", "mark-args", "mark-raw", "mark-finish"])
    expect(seen.events).toContain(mark.replace("mark-delta", "mark-del"))
  expect(seen.frames).toContain("mark-delta [secret:vault] [secret:vault]")
  expect(seen.frames).toContain("mark-partial")
  expect(seen.outputs).toContain("mark-echo")
  for (const [where, text] of Object.entries(seen))
    for (const form of [...formsOf(SECRET), ...formsOf(OLD)]) {
      expect(text.includes(form), `${form} in ${where}`).toBe(false)
      expect(text.includes(JSON.stringify(form).slice(1, -1)), `${form}, escaped, in ${where}`).toBe(false)
    }
})

test("[T32] if the vault does not answer, no tool runs and no model is called", async () => {
  const stand = new Stand(flow("  - { id: a, type: agent, agent: a }\n"), [agent("a", "tools: echo_it\n")], [echo])
  stand.rules = { ...DEFAULT_RULES, version: 1, scopes: ["vault"] }
  got.length = 0
  stand.start()
  const asked = await stand.next("a")
  stand.vaultIsDown = true
  await asked.answer({ calls: [{ name: "echo_it", args: {} }] })
  await stand.settle()
  expect(got).toEqual([])
  const returned = stand.events().filter((e) => e.type === "tool.returned")
  expect(returned).toMatchObject([{ isError: true, content: [{ text: expect.stringContaining("vault does not answer") }] }])
  expect(stand.asked).toEqual([])
  stand.vaultIsDown = false
  stand.now += 60_000
  stand.conductor.tick()
  await (await stand.next("a")).answer(done())
  expect(stand.conductor.run.status).toBe("succeeded")
})
