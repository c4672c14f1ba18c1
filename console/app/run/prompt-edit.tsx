// Another prompt, model or tools for the agent of a step, in a fork alone: the catalog stays as it is.

import { useState } from "react"
import type { Fork } from "../../../src/api/run/forks.ts"
import { CodeDiff, CodeEditor } from "../code/code-editor.tsx"
import { useAsked } from "../parts/asked.ts"
import { Combobox } from "../parts/combobox.tsx"
import type { Api } from "../shell/session.ts"
import { stepIn, type ShownRun } from "./use-run.ts"

type Patch = NonNullable<Fork["patch"]>

export interface PromptDraft {
  readonly agent: string
  readonly step: string
  readonly pass: number
  /** The agent's file; undefined: it is being read. */
  readonly stored: { readonly path: string; readonly content: string } | undefined
  readonly fault: string | undefined
  readonly text: string
  readonly model: string
  /** The one that the run had pinned. */
  readonly pinned: string
  readonly models: readonly string[]
  readonly write: (text: string) => void
  readonly choose: (model: string) => void
  /** undefined: nothing is changed. */
  readonly patch: Patch | undefined
}

/** undefined: the step asks no model. */
export function usePromptDraft(api: Api, { story, view, graph }: ShownRun, step: string, isAsked: boolean): PromptDraft | undefined {
  const pass = stepIn(story, step).passes.at(-1)
  const agent = pass?.agent ?? graph.nodes.find(({ id }) => id === step)?.agent
  const revision = typeof view.pinned["revision"] === "number" ? view.pinned["revision"] : undefined
  const { value: stored, fault } = useAsked(["run", "agent", agent, revision, isAsked], async () =>
    agent === undefined || !isAsked ? undefined : api.catalog.definition("agent", agent, revision),
  )
  const [text, setText] = useState<string>()
  const [given, setModel] = useState<string>()
  if (agent === undefined || pass === undefined) return undefined
  const all = modelsOf(view.pinned["models"])
  const pinned = all.get(`${agent}@${step}`) ?? all.get(agent) ?? pass.model ?? ""
  const model = given ?? pinned
  const isText = stored !== undefined && text !== undefined && text !== stored.content
  const isModel = model.trim() !== "" && model !== pinned
  return {
    agent,
    step,
    pass: pass.pass,
    stored,
    fault,
    text: text ?? stored?.content ?? "",
    model,
    pinned,
    models: [...new Set(all.values())],
    write: setText,
    choose: setModel,
    patch:
      isText || isModel
        ? {
            ...(isText ? { definitions: { [stored.path]: text } } : {}),
            ...(isModel ? { models: { [agent]: model.trim() } } : {}),
          }
        : undefined,
  }
}

function modelsOf(pinned: unknown): ReadonlyMap<string, string> {
  const entries = typeof pinned === "object" && pinned !== null ? Object.entries(pinned) : []
  return new Map(entries.flatMap(([name, model]) => (typeof model === "string" ? [[name, model] as const] : [])))
}

export function PromptEdit({ draft, onRun }: { readonly draft: PromptDraft; readonly onRun: () => void }) {
  const { agent, stored, fault, text, model, models, pinned, write, choose } = draft
  return (
    <>
      <p className="mid">For this fork alone: the agent {agent} stays as it is.</p>
      <label className="field" htmlFor="fork-model">
        <span className="small">Model</span>
      </label>
      <Combobox
        id="fork-model"
        isFree
        value={model}
        choices={models.map((value) => ({ value, ...(value === pinned ? { note: "as in this run" } : {}) }))}
        placeholder="PROVIDER/MODEL"
        onChange={choose}
      />
      {fault !== undefined && (
        <p className="msg error" role="alert">
          {fault}
        </p>
      )}
      {stored === undefined && fault === undefined && <p className="dim late">Reading the agent.</p>}
      {stored && (
        <>
          <p className="small">Prompt, with its tools in the head</p>
          <CodeEditor label={`Prompt and tools of ${agent}`} text={text} language="markdown" wrap onChange={write} onRun={onRun} />
          {text !== stored.content && <CodeDiff label="Difference" before={stored.content} after={text} language="markdown" />}
        </>
      )}
    </>
  )
}
