// The bodies of messages about a run [W6]: the notice as data, thin on request, and for Slack and mail.

import { describe, expect, test } from "vitest"
import { noticeBody, noticeType, type NoticeFacts } from "../../../src/core/run/notice-body.ts"
import type { Notice, StartCallback } from "../../../src/core/run/notice.ts"

const RUN = { run: "run_1", flow: "triage" }
const SENT = { ...RUN, id: "msg_1", tenant: "acme" }
const LINK = "https://sluice.example.com/t/acme/i/tok.en"
const waiting: Notice = { type: "run.waiting", seq: 3, at: 0 }
const failed: Notice = { type: "run.failed", seq: 9, at: 0 }
const succeeded: Notice = { type: "run.succeeded", seq: 9, at: 0 }
const asked = {
  id: "i1",
  kind: "ask_user",
  step: "a",
  payload: { question: "Deploy <!channel> & \u202etxt?" },
  expires: 60_000,
  link: LINK,
}
const told = { rehearsed: true, tags: ["x"], usage: { tokens: 7 }, interaction: asked } satisfies NoticeFacts

const body = (notice: Notice, what: NoticeFacts, form: Pick<StartCallback, "kind" | "payload" | "format"> = {}) =>
  JSON.parse(noticeBody(notice, SENT, what, form))

describe("a notice as data", () => {
  test("[W6] carries output, error, rehearsed, tags and usage", () => {
    const usage = { tokens: 7 }
    expect(body(succeeded, { rehearsed: false, tags: [], usage, output: { a: 1 } })).toEqual({
      type: "run.succeeded",
      timestamp: "1970-01-01T00:00:00.000Z",
      data: { ...RUN, status: "succeeded", rehearsed: false, output: { a: 1 }, usage },
    })
    const error = { source: "engine", message: "m" }
    expect(body(failed, { rehearsed: true, tags: ["x"], usage, error }).data).toEqual({
      ...RUN,
      status: "failed",
      rehearsed: true,
      tags: ["x"],
      usage,
      error,
    })
  })

  test("[R8] one of a superseded run says which run took its place", () => {
    const told = { rehearsed: false, superseded: "run_2" }
    expect(body({ ...failed, type: "run.canceled" }, told).data).toEqual({ ...RUN, status: "canceled", ...told })
  })

  test("[W6] a waiting run carries what it asks, with the link; one that has ended asks nothing", () => {
    const { data } = body(waiting, { ...told, output: "old", error: "old" })
    expect(data.interaction).toEqual({ ...asked, expires: "1970-01-01T00:01:00.000Z" })
    expect([data.output, data.error]).toEqual([undefined, undefined])
    expect(body(failed, told).data.interaction).toBeUndefined()
    expect(body(waiting, { rehearsed: false }).data).toEqual({ ...RUN, status: "waiting", rehearsed: false })
  })

  test("[W6] thin carries run, flow and status, and says what it leaves out nowhere else", () => {
    expect(body(waiting, told, { payload: "thin" }).data).toEqual({ ...RUN, status: "waiting" })
    for (const kind of ["slack", "email-webhook"] as const) {
      const text = noticeBody(waiting, SENT, told, { kind, payload: "thin" })
      expect(text).not.toMatch(/Deploy|tok\.en/)
      expect(text).toContain("triage waits for a person")
    }
  })
})

describe("a message for a person", () => {
  test("[W6] Slack gets blocks of plain text and a button with the link, and no markup from a model", () => {
    const { text, blocks } = body(waiting, told, { kind: "slack" })
    expect(text).toBe("triage waits for a person")
    expect(blocks[0]).toEqual({ type: "header", text: { type: "plain_text", text: "triage waits for a person", emoji: false } })
    expect(blocks[1]).toEqual({ type: "section", text: { type: "plain_text", text: "Deploy <!channel> & U+202Etxt?", emoji: false } })
    expect(blocks.at(-1).elements).toMatchObject([{ type: "button", url: LINK }])
    expect(JSON.stringify(blocks)).not.toContain("mrkdwn")
    expect(
      body(waiting, { ...told, interaction: { ...asked, link: "/i/tok.en" } }, { kind: "slack" }).blocks.map(
        (b: { type: string }) => b.type,
      ),
    ).toEqual(["header", "section", "section"])
    const flow = noticeBody(failed, { ...SENT, flow: "<!channel>" }, { rehearsed: false }, { kind: "slack" })
    expect(JSON.parse(flow).text).toBe("&lt;!channel&gt; failed")
  })

  test("[W6] Slack's limits hold whatever a run says", () => {
    const long = "x".repeat(100_000)
    const { text, blocks } = body(succeeded, { rehearsed: false, output: long }, { kind: "slack" })
    expect(text.length).toBeLessThanOrEqual(150)
    for (const block of blocks) expect(block.text?.text.length ?? 0).toBeLessThanOrEqual(3_000)
  })

  test("[W6] mail gets a subject of one line, text, and HTML in which a model's text is text", () => {
    const question = 'Line\nSubject: <script>alert(1)</script> "q"'
    const mail = body(waiting, { ...told, interaction: { ...asked, payload: { question } } }, { kind: "email-webhook" })
    expect(mail.subject).toBe("triage waits for a person")
    expect(mail.text).toContain(`Answer: ${LINK}`)
    expect(mail.html).toContain(`<a href="${LINK}">Answer</a>`)
    expect(mail.html).toContain("&lt;script&gt;alert(1)&lt;/script&gt; &quot;q&quot;")
    expect(mail.html).not.toContain("<script")
    expect(mail.data).toMatchObject({ run: "run_1", status: "waiting" })
  })
})

describe("a notice as a CloudEvent", () => {
  const form = { format: "cloudevents" } as const
  const envelope = {
    specversion: "1.0",
    id: "msg_1",
    source: "/tenants/acme/flows/legal:nda",
    subject: "run_1",
    time: "1970-01-01T00:00:00.000Z",
    datacontenttype: "application/json",
  }
  const of = (notice: Notice, what: NoticeFacts, more: Pick<StartCallback, "payload"> = {}) =>
    noticeBody(notice, { ...SENT, flow: "legal:nda" }, what, { ...form, ...more })

  test("[P30] is the same notice in a structured event, whole and thin", () => {
    for (const notice of [waiting, failed, succeeded]) {
      const { data } = JSON.parse(noticeBody(notice, { ...SENT, flow: "legal:nda" }, told, {}))
      expect(JSON.parse(of(notice, told))).toEqual({ ...envelope, type: `dev.sluice.${notice.type}`, data })
    }
    const thin = { run: "run_1", flow: "legal:nda", status: "failed" }
    expect(JSON.parse(of(failed, told, { payload: "thin" }))).toEqual({ ...envelope, type: "dev.sluice.run.failed", data: thin })
  })

  test("[P30] its bytes say its media type, and no other message has it", () => {
    expect(noticeType(of(failed, told))).toBe("application/cloudevents+json")
    for (const kind of [undefined, "slack", "email-webhook"] as const)
      expect(noticeType(noticeBody(failed, SENT, told, kind === undefined ? {} : { kind }))).toBe("application/json")
  })
})
