// One hook: a signed test delivery with what it would start, and the deliveries that came, each of which can be delivered again.

import { useState } from "react"
import type { HookRow, HookTestResult } from "../../../../src/api/doc/hooks.doc.ts"
import type { Hooks } from "../../../../src/client/triggers.ts"
import { editable, visible } from "../../../../web/chat/wording.ts"
import { sentence } from "../../../../web/faults/sentence.ts"
import { Code } from "../../parts/code.tsx"
import { faultOf } from "../../parts/fault.ts"
import { Icon } from "../../shell/icons.tsx"
import { Link } from "../../shell/link.tsx"
import { addressOf } from "../../shell/place.ts"
import { DeliveryList } from "./delivery-list.tsx"
import { LinesField, TextField } from "../parts/fields.tsx"
import { HookTags } from "./hook-tags.tsx"
import { CopyText } from "../parts/copy-text.tsx"
import { Told } from "../parts/told.tsx"
import css from "../settings.module.css"

interface Props {
  readonly hooks: Hooks
  readonly row: HookRow
  readonly onEdit: () => void
}

export function HookPage({ hooks, row, onEdit }: Props) {
  return (
    <>
      <div className="page-head">
        <Link className="btn bare square" href={addressOf("settings", "hooks")} aria-label="All hooks">
          <Icon name="left" />
        </Link>
        <h1>{visible(row.flow)}</h1>
        <HookTags row={row} />
        <span className="grow" />
        {row.name === undefined && (
          <button className="btn" type="button" onClick={onEdit}>
            Edit
          </button>
        )}
      </div>
      <div className="bar">
        <pre className="code wrap" tabIndex={0} role="region" aria-label="Its address">
          {visible(row.url)}
        </pre>
        <CopyText what="the address" text={row.url} />
      </div>
      <TestDelivery hooks={hooks} row={row} />
      <DeliveryList hooks={hooks} hook={row.id} />
    </>
  )
}

function TestDelivery({ hooks, row: { id, kind } }: Omit<Props, "onEdit">) {
  const [event, setEvent] = useState("")
  const [body, setBody] = useState("")
  const [isBusy, setBusy] = useState(false)
  const [result, setResult] = useState<HookTestResult>()
  const [fault, setFault] = useState<string>()
  const send = (): void => {
    if (isBusy) return
    let given: unknown
    try {
      given = body.trim() === "" ? undefined : JSON.parse(body)
    } catch {
      return setFault("The body is not JSON.")
    }
    setBusy(true)
    setFault(undefined)
    hooks
      .test(id, {
        ...(given === undefined ? {} : { body: given as NonNullable<Parameters<Hooks["test"]>[1]>["body"] & {} }),
        ...(kind === "github" && event.trim() !== "" ? { event: event.trim() } : {}),
      })
      .then(
        (said) => setResult(said),
        (error: unknown) => {
          setResult(undefined)
          setFault(faultOf(error))
        },
      )
      .finally(() => setBusy(false))
  }
  return (
    <section className="panel dlg-l" aria-label="Test delivery">
      <h2>Send a signed test delivery</h2>
      <p className="mid">Signed as the sender would sign it, and checked like a real delivery. Nothing is stored, and no run starts.</p>
      {kind === "github" && <TextField label="Event" isMono placeholder="issues" value={event} onChange={setEvent} />}
      <LinesField
        label="Body (JSON, optional)"
        rows={Math.min(14, Math.max(3, body.split("\n").length))}
        hint="Leave empty to send a small sample."
        value={body}
        onChange={setBody}
      />
      <div className="bar">
        <button className="btn first" type="button" aria-disabled={isBusy} onClick={send}>
          {isBusy ? "Sending" : "Send a signed test delivery"}
        </button>
        {result && (
          <button className="btn bare" type="button" onClick={() => setBody(editable(result.sent.body))}>
            Edit the body sent
          </button>
        )}
      </div>
      <div role="status">
        {fault !== undefined && <Told isGood={false} words={fault} />}
        {result && <Result result={result} />}
      </div>
    </section>
  )
}

function Result({ result: { verdict, reason, sent, starts } }: { readonly result: HookTestResult }) {
  return (
    <div className={css.sbody}>
      <Told
        isGood={verdict === "accepted"}
        words={
          starts === null
            ? `${WORDS[verdict]} ${sentence(reason ?? "")}`
            : `It would start ${starts.flow}${starts.task === "" ? "" : ` with the task “${starts.task}”`}.`
        }
      />
      {sent.headers.length > 0 && <p className="dim small">Signed with {sent.headers.join(", ")}.</p>}
      {starts && <Code label="What the run would receive" value={starts} />}
    </div>
  )
}

const WORDS: Readonly<Record<HookTestResult["verdict"], string>> = {
  accepted: "It would start a run.",
  filtered: "It would start nothing.",
  ping: "It would start nothing.",
  rejected: "It would be refused.",
  failed: "It would be accepted, and its run would fail.",
}
