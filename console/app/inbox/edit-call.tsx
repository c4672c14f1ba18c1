// A call whose arguments a person changes before it runs: its fields by the tool's schema, and what differs from the call that was asked for.

import { useEffect, useState, type ReactNode } from "react"
import type { JsonObject } from "../../../src/core/json.ts"
import { Tools } from "../../../src/client/settings.ts"
import { editable } from "../../../web/chat/wording.ts"
import { DiffView } from "../parts/diff-view.tsx"
import { draftOf, fieldsOf, valuesOf, type Drafts, type Schema, type FormValues } from "../parts/form-values.ts"
import { SchemaForm } from "../parts/schema-form.tsx"
import { Icon } from "../shell/icons.tsx"
import type { Api } from "../shell/session.ts"
import { FaultLine } from "./fault-line.tsx"
import { useKeys } from "../shell/keys.ts"

interface Props {
  readonly api: Api
  readonly tool: string
  readonly args: FormValues
  readonly isSending: boolean
  readonly fault: string | undefined
  readonly onBack: () => void
  readonly onSend: (args: JsonObject) => void
  readonly children: (form: ReactNode, acts: ReactNode) => ReactNode
}

export function EditCall({ api, tool, args, isSending, fault, onBack, onSend, children }: Props) {
  const [schema, setSchema] = useState<Schema>({})
  const [drafts, setDrafts] = useState<Drafts>({})
  useEffect(() => {
    let isOver = false
    // Without the schema, the fields are those of the call.
    new Tools(api.transport)
      .get(tool)
      .then(({ parameters = {} }) => !isOver && setSchema(parameters))
      .catch(() => undefined)
    return () => {
      isOver = true
    }
  }, [api, tool])
  const form = fieldsOf(schema, args)
  const given = Object.fromEntries(
    form.map((field) => [field.name, args[field.name] === undefined ? undefined : draftOf(field, args[field.name])]),
  )
  const shown = { ...given, ...drafts }
  const read = valuesOf(form, shown)
  // A field that is not touched keeps its value as it was.
  const changed = new Set(Object.keys(drafts).filter((name) => drafts[name] !== given[name]))
  // In the order of the call, so that the difference is what the person changed.
  const names = [...new Set([...Object.keys(args), ...form.map(({ name }) => name)])]
  const values = Object.fromEntries(
    names.flatMap((name) => {
      const value = changed.has(name) ? read.values[name] : args[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
  const faults = Object.fromEntries(Object.entries(read.faults).filter(([name]) => changed.has(name)))
  const isWhole = Object.keys(faults).length === 0
  const send = (): void => {
    if (isWhole && !isSending) onSend(values as JsonObject)
  }
  useKeys("sending", { send, leave: onBack })
  return children(
    <>
      <FaultLine fault={fault} />
      <section className="edit">
        <h3>Edit the call</h3>
        {form.length === 0 && <p className="mid">This call has no arguments.</p>}
        <SchemaForm form={form} drafts={shown} faults={faults} changed={changed} onChange={setDrafts} />
        <h3>What changes</h3>
        <DiffView label="What changes" before={editable(args)} after={editable(values)} />
        {isWhole && (
          <p className="msg mid">
            <Icon name="check" kind="i-s" />
            <span>The call is checked again when you send it, and the agent is told what you changed.</span>
          </p>
        )}
      </section>
    </>,
    <div className="bar">
      <button className="btn first" type="button" aria-disabled={!isWhole || isSending} onClick={send}>
        {isSending ? "Checking" : "Approve edited call"} <kbd>Ctrl Enter</kbd>
      </button>
      <button className="btn" type="button" onClick={onBack}>
        Discard edit <kbd>Esc</kbd>
      </button>
    </div>,
  )
}
