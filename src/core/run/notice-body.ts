// Builds the body of a message about a run [W6]: the notice itself, or the same notice for Slack and for mail services. Pure, and built
// once: every try sends the same bytes. A run's texts are escaped for Slack and mail, which read markup, and invisible characters are
// named.

import { defined } from "../defined.ts"
import { isObject, type Json, type JsonObject } from "../json.ts"
import { isoTime } from "../text/iso-time.ts"
import { unhidden } from "../text/hidden.ts"
import type { Notice, StartCallback } from "./notice.ts"

/** A question that is open when the run waits. */
export interface NoticeQuestion {
  readonly id: string
  /** [P5] The run below that asks; absent: the run itself. */
  readonly run?: string
  readonly kind: string
  readonly step: string
  /** Absent: it is too large for a message. */
  readonly payload?: JsonObject
  readonly expires?: number
}

/** The parts of a message besides the run's name and status. */
export interface NoticeFacts {
  readonly rehearsed: boolean
  readonly tags?: Json
  readonly usage?: Json
  /** [R8] The run that took its place. */
  readonly superseded?: Json
  readonly output?: Json
  readonly error?: Json
  readonly interaction?: NoticeQuestion & { readonly link?: string }
  /** What is too large for a message and stands in the run. */
  readonly omitted?: readonly string[]
}

export interface Subject {
  readonly run: string
  readonly flow: string
}

/** [P30] The identity of a message and its source. */
export interface Envelope {
  readonly id: string
  readonly tenant: string
}

export function noticeBody(
  notice: Notice,
  { run, flow, id, tenant }: Subject & Envelope,
  told: NoticeFacts,
  { kind = "webhook", payload, format }: Pick<StartCallback, "kind" | "payload" | "format">,
): string {
  const status = notice.type.slice("run.".length)
  const about = { run, flow, status }
  const isThin = payload === "thin"
  const data = isThin ? about : { ...about, ...dataOf(notice, told) }
  const whole = { type: notice.type, timestamp: isoTime(notice.at), data }
  if (format === "cloudevents") {
    const source = encodeURI(`/tenants/${tenant}/flows/${flow}`)
    const event = { id, source, type: `dev.sluice.${notice.type}`, subject: run, time: whole.timestamp }
    return JSON.stringify({ specversion: SPEC_VERSION, ...event, datacontenttype: "application/json", data })
  }
  const words = wordsOf(about, isThin ? { rehearsed: false } : shownOf(notice, told))
  switch (kind) {
    case "webhook":
      return JSON.stringify(whole)
    case "slack":
      return JSON.stringify(slack(words))
    case "email-webhook":
      return JSON.stringify({ ...mail(words), ...whole })
  }
}

const SPEC_VERSION = "1.0"

/** The media type of a body that `noticeBody` made. */
export const noticeType = (body: string): string =>
  body.startsWith(`{"specversion":"${SPEC_VERSION}"`) ? "application/cloudevents+json" : "application/json"

/** A waiting run has no result, and a run that has ended asks nothing: the run may have gone on since the notice. */
function shownOf({ type }: Notice, told: NoticeFacts): NoticeFacts {
  const { output: _output, error: _error, interaction, ...rest } = told
  if (type === "run.waiting") return interaction === undefined ? rest : { ...rest, interaction }
  const { interaction: _interaction, ...ended } = told
  return ended
}

function dataOf(notice: Notice, told: NoticeFacts): JsonObject {
  const { rehearsed, tags, usage, superseded, output, error, interaction, omitted } = shownOf(notice, told)
  const asked = interaction && {
    id: interaction.id,
    ...defined({ run: interaction.run }),
    kind: interaction.kind,
    step: interaction.step,
    ...defined({ payload: interaction.payload, expires: isoTime(interaction.expires), link: interaction.link }),
  }
  return {
    rehearsed,
    ...(Array.isArray(tags) && tags.length > 0 ? { tags } : {}),
    ...defined({ superseded, output, error, usage, interaction: asked }),
    ...(omitted === undefined || omitted.length === 0 ? {} : { omitted: [...omitted] }),
  }
}

/** A message for a person. */
interface Words {
  readonly title: string
  readonly lines: readonly string[]
  /** A complete address. */
  readonly link?: string
}

/** Characters of a part of a message to a person; Slack takes 3,000. */
const MAX_LINE = 2_500 // limit: characters of a paragraph of a message for a person → its end is left out
const MAX_TITLE = 150 // limit: characters of the title of a message for a person → its end is left out

function wordsOf(
  { run, flow, status }: Subject & { readonly status: string },
  { rehearsed, output, error, interaction }: NoticeFacts,
): Words {
  const what = status === "waiting" ? "waits for a person" : status
  const asked = interaction && questionOf(interaction)
  const lines = [
    ...(asked === undefined ? [] : [asked]),
    ...(isObject(error) ? [`${textOf(error["source"])}: ${textOf(error["message"])}`] : []),
    ...(output === undefined ? [] : [textOf(output)]),
    `Run ${run}${rehearsed ? ", rehearsed" : ""}`,
  ]
  const link = interaction?.link
  return {
    title: shortened(unhidden(`${flow} ${what}`).replace(/\s+/g, " "), MAX_TITLE),
    lines: lines.map((line) => shortened(unhidden(line), MAX_LINE)),
    ...(link !== undefined && /^https?:/.test(link) ? { link } : {}),
  }
}

function questionOf({ payload = {}, step, kind }: NoticeQuestion): string {
  const { question, tool, args } = payload
  if (typeof question === "string") return question
  return tool === undefined ? `Step ${step} asks: ${kind}` : `Step ${step} wants to run ${textOf(tool)} ${JSON.stringify(args ?? {})}`
}

const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value))

const shortened = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`)

/** `plain_text` is shown as it is; only the fallback `text` is markup, in which these three stand for a mention or a link. */
function slack({ title, lines, link }: Words): JsonObject {
  const section = (text: string): JsonObject => ({ type: "section", text: { type: "plain_text", text, emoji: false } })
  const button = { type: "button", text: { type: "plain_text", text: "Answer" }, url: link ?? "", style: "primary" }
  return {
    text: title.replace(/[&<>]/g, (char) => ESCAPED[char] ?? ""),
    blocks: [
      { type: "header", text: { type: "plain_text", text: title, emoji: false } },
      ...lines.filter((line) => line !== "").map(section),
      ...(link === undefined ? [] : [{ type: "actions", elements: [button] }]),
    ],
  }
}

function mail({ title, lines, link }: Words): { readonly subject: string; readonly text: string; readonly html: string } {
  const parts = lines.map((line) => `<p style="white-space:pre-wrap">${escaped(line)}</p>`)
  return {
    subject: title,
    text: [title, ...lines, ...(link === undefined ? [] : [`Answer: ${link}`])].join("\n\n"),
    html: `<h1>${escaped(title)}</h1>${parts.join("")}${link === undefined ? "" : `<p><a href="${escaped(link)}">Answer</a></p>`}`,
  }
}

const ESCAPED: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }
const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => ESCAPED[char] ?? "")
