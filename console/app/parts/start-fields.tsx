// The fields of a start: the task, and each input of the flow by its type.

import { useId } from "react"
import type { SluiceError } from "../../../src/client/transport/sluice-error.ts"
import type { FlowStart } from "../../../src/core/flow/check/graph-view.ts"
import type { Json } from "../../../src/core/json.ts"
import { Select } from "./select.tsx"
import { fieldText, type Field } from "../../../web/run/start-form.ts"

interface Props {
  readonly start: FlowStart
  readonly task: string
  readonly given: Readonly<Record<string, Field>>
  /** Name of an input, or `task` → what is wrong. */
  readonly faults: Readonly<Record<string, string>>
  /** Lines of the task, and of an object. */
  readonly lines: number
  readonly onTask: (task: string) => void
  readonly onGiven: (given: Readonly<Record<string, Field>>) => void
}

export function StartFields({ start, task, given, faults, lines, onTask, onGiven }: Props) {
  const id = useId()
  return (
    <>
      <div className="field">
        <label htmlFor={`${id}task`}>
          {start.task_prompt ?? "Task"}
          {start.task_required ? "" : " (optional)"}
        </label>
        <textarea
          id={`${id}task`}
          data-autofocus
          className={faults["task"] === undefined ? "input" : "input bad"}
          rows={lines}
          value={task}
          aria-invalid={faults["task"] !== undefined}
          aria-describedby={`${id}task-fault`}
          onChange={({ target }) => onTask(target.value)}
        />
        <Fault id={`${id}task-fault`} text={faults["task"]} />
      </div>
      {Object.entries(start.inputs).map(([name, spec]) => (
        <div className="field" key={name}>
          <label htmlFor={`${id}${name}`}>
            {name}{" "}
            <span className="dim">
              {spec.type}
              {spec.required ? ", required" : ""}
            </span>
          </label>
          {spec.type === "boolean" ? (
            <Select
              id={`${id}${name}`}
              value={given[name] ?? ""}
              choices={[
                {
                  value: "",
                  words: spec.default === undefined ? "not given" : `as it is: ${fieldText(spec.default as Json | undefined) ?? ""}`,
                },
                { value: "true" },
                { value: "false" },
              ]}
              onChange={(chosen) => onGiven({ ...given, [name]: chosen })}
            />
          ) : spec.type === "object" || spec.type === "array" ? (
            <textarea
              id={`${id}${name}`}
              className={faults[name] === undefined ? "input mono" : "input mono bad"}
              rows={lines}
              spellCheck={false}
              placeholder={fieldText(spec.default as Json | undefined)}
              value={given[name] ?? ""}
              aria-invalid={faults[name] !== undefined}
              aria-describedby={`${id}${name}-fault`}
              onChange={({ target }) => onGiven({ ...given, [name]: target.value })}
            />
          ) : (
            <input
              id={`${id}${name}`}
              className={faults[name] === undefined ? "input" : "input bad"}
              inputMode={spec.type === "number" ? "decimal" : "text"}
              placeholder={fieldText(spec.default as Json | undefined)}
              value={given[name] ?? ""}
              aria-invalid={faults[name] !== undefined}
              aria-describedby={`${id}${name}-fault`}
              onChange={({ target }) => onGiven({ ...given, [name]: target.value })}
            />
          )}
          {spec.description !== undefined && <p className="hint">{spec.description}</p>}
          <Fault id={`${id}${name}-fault`} text={faults[name]} />
        </div>
      ))}
    </>
  )
}

function Fault({ id, text }: { readonly id: string; readonly text: string | undefined }) {
  return (
    <p className="msg error" id={id} role="alert">
      {text}
    </p>
  )
}

/** What the server says of an input stands beside it. */
export function placed({ errors }: SluiceError): Record<string, string> {
  return Object.fromEntries(errors.map(({ pointer, message }) => [pointer.replace(/^\/inputs\//, "").replace(/^\//, ""), message]))
}
