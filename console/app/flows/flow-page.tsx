// One flow: its text with what is wrong in it as it is typed, its graph, and beside them a form that tries it, its tests, the architect and
// its revisions. One step is chosen in the text and in the graph, and is in the address.

import { FILE_KEYS } from "virtual:file-keys"
import { useEffect, useMemo, useState } from "react"
import { CodeEditor } from "../code/code-editor.tsx"
import { LineProblem } from "../code/line-problem.tsx"
import type { CodeProblem } from "../code/code-props.ts"
import { pathOf } from "../flow-tests/use-flow-files.ts"
import { SMALL, useMedia } from "../parts/use-media.ts"
import { useAsked } from "../parts/asked.ts"
import { Icon } from "../shell/icons.tsx"
import { useKeys } from "../shell/keys.ts"
import { Link } from "../shell/link.tsx"
import { addressOf, goQuery, useQuery } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { titled } from "../shell/title.ts"
import { completions, meaning } from "../../../web/flow/complete.ts"
import { stepAt, stepLines } from "../../../web/flow/step-lines.ts"
import { Drafts } from "./drafts.tsx"
import { OnlyInDraft } from "./only-in-draft.tsx"
import { FileTabs, filesOf } from "./file-tabs.tsx"
import { FlowHead } from "./flow-head.tsx"
import { GraphPanel } from "./graph-panel.tsx"
import { lineOf } from "./line-of.ts"
import { OtherFile } from "./other-file.tsx"
import { Conflict, DiscardFlow, RemoveFlow } from "./save-dialogs.tsx"
import { SidePanel } from "./side-panel.tsx"
import { SIDE_PANES } from "./side-panes.ts"
import { TryIt } from "./try-it.tsx"
import { Tally } from "./tally.tsx"
import { useCheck } from "./use-check.ts"
import { useNames } from "./use-names.ts"
import { useDraft, type FlowDraft } from "./use-draft.ts"
import { useProblems } from "./use-problems.ts"
import { useTabCounts } from "./use-tab-counts.ts"
import { useTry } from "./use-try.ts"
import { useUnwritten } from "./use-unwritten.ts"
import { classes } from "../parts/classes.ts"
import css from "./flow-page.module.css"

const TRY = { name: "try", label: "Try it", isTall: false }
const PANES = [
  ["code", "Edit"],
  ["graph", "Graph"],
  ["side", "Try and test"],
] as const

export function FlowPage({ api, flow }: { readonly api: Api; readonly flow: string }) {
  const draft = useDraft(api, { kind: "flow", id: flow })
  useEffect(() => titled(`${draft.isChanged ? "• " : ""}${flow}`), [flow, draft.isChanged])
  if (draft.state === "loading") return <main id="main" className={css.ed} aria-busy="true" />
  if (draft.state === "open") return <Editor api={api} flow={flow} draft={draft} />
  return (
    <main id="main">
      <div className="page">
        <p className="bar">
          <Link className="link" href={addressOf("flows")}>
            Flows
          </Link>
          <span className="dim">/</span>
          <span className="id">{flow}</span>
        </p>
        <h1>{draft.state === "missing" ? "There is no flow with this name" : "This flow could not be read"}</h1>
        <p className="note failed" role="alert">
          <Icon name="failed" />
          <span>{draft.fault}</span>
          <button className="btn" type="button" onClick={draft.reload}>
            Try again
          </button>
        </p>
        {draft.state === "missing" && <OnlyInDraft api={api} flow={flow} />}
      </div>
    </main>
  )
}

function Editor({ api, flow, draft }: { readonly api: Api; readonly flow: string; readonly draft: FlowDraft }) {
  const query = useQuery()
  const isSmall = useMedia(SMALL)
  // A flow of a package is saved as one's own.
  const path = draft.saved?.tier === "local" ? draft.saved.path : pathOf(flow)
  const checked = useUnwritten(useCheck(api, "flow", path, draft.text), draft)
  const { graph } = checked
  const catalog = useAsked(["catalog", "list", draft.turn], async () => (await api.catalog.list()).data)
  const files = useMemo(() => filesOf(flow, path, graph, catalog.value ?? []), [flow, path, graph, catalog.value])
  const file = files.find(({ name }) => name === query.get("file"))
  const counts = useTabCounts(api, { flow, path, turn: draft.turn })
  const [goTo, setGoTo] = useState<{ readonly line: number }>()
  const [isRemoving, setRemoving] = useState(false)
  const [isDiscarding, setDiscarding] = useState(false)
  const [line, setLine] = useState(1)

  const steps = useMemo(() => stepLines(draft.text), [draft.text])
  const { shown, isFresh, errors, faults, mend } = useProblems(checked, draft.text)

  const trying = useTry({ api, flow, start: graph?.start, text: draft.text, path, isChanged: draft.isChanged })
  const tried = useMemo(
    () => new Map(Object.entries(trying.view?.steps ?? {}).flatMap(([id, { status }]) => (status === "pending" ? [] : [[id, status]]))),
    [trying.view],
  )
  const names = useNames(api, catalog.value)

  const mayWrite = api.who.scopes.includes("catalog:write") || api.who.scopes.includes("admin")
  const chosen = query.get("step") ?? undefined
  const choose = (step: string): void => {
    goQuery({ step, file: undefined, pane: isSmall ? "code" : undefined })
    const found = steps.find(({ id }) => id === step)
    if (found) setGoTo({ line: found.first })
  }
  // The address of a line opens there, and that of a step at its lines.
  useEffect(() => {
    const to = lineOf(query) ?? steps.find(({ id }) => id === chosen)?.first
    if (to !== undefined && !query.has("file")) setGoTo({ line: to })
  }, [])
  const atLine = (next: number): void => {
    setLine(next)
    goQuery({ step: stepAt(steps, next)?.id, line: undefined })
  }
  const fix = (problem: CodeProblem): void => {
    const text = mend(problem)
    if (text === undefined) return
    draft.write(text)
    setGoTo({ line: problem.line })
  }
  const next = (): void => {
    const to = shown.find((one) => one.line > line) ?? shown[0]
    if (to === undefined) return
    goQuery({ file: undefined })
    setGoTo({ line: to.line })
  }
  const tabs = [TRY, ...SIDE_PANES]
  const tab = tabs.find(({ name }) => name === query.get("tab")) ?? TRY
  const isLarge = query.get("graph") === "large" && !tab.isTall
  const open = (name: string): void => goQuery({ tab: name === "try" ? undefined : name, pane: isSmall ? "side" : undefined })
  // The gate's refusal is about tests: they open, and say which fails.
  const isGated = draft.gate !== undefined
  useEffect(() => {
    if (isGated) open("tests")
  }, [isGated])
  const save = (): void => {
    if (mayWrite && draft.isChanged && !(isFresh && errors > 0)) draft.save()
  }
  const rehearse = (): void => {
    if (errors > 0 && isFresh) return
    open("try")
    trying.rehearse()
  }
  useKeys("flow", {
    save,
    rehearse,
    problem: next,
    fix() {
      const near = shown.filter((one) => one.fix !== undefined)
      const here = near.find((one) => one.line === line) ?? near[0]
      if (here) fix(here)
    },
    architect: () => open("architect"),
    tests() {
      if (tab.name === "tests") return false
      open("tests")
      goQuery({ run: "1" })
    },
  })
  const pane = PANES.find(([name]) => name === query.get("pane"))?.[0] ?? "code"
  return (
    <main id="main" className={css.ed} data-pane={pane} data-tall={tab.isTall ? "" : undefined} data-graph={isLarge ? "" : undefined}>
      <FlowHead
        flow={flow}
        draft={draft}
        errors={isFresh ? errors : 0}
        mayWrite={mayWrite && !isSmall}
        hasArchitect={SIDE_PANES.some(({ name }) => name === "architect")}
        onSave={save}
        onArchitect={() => open("architect")}
        onRemove={() => setRemoving(true)}
        onDiscard={() => setDiscarding(true)}
      />
      <div className={css.switch} role="group" aria-label="Show">
        {PANES.map(([name, word]) => (
          <button
            key={name}
            type="button"
            aria-pressed={pane === name}
            onClick={() => goQuery({ pane: name === "code" ? undefined : name })}
          >
            {word} {name === "code" && (checked.problems?.length ?? 0) > 0 && <b>{checked.problems?.length}</b>}
          </button>
        ))}
      </div>
      <div className={css.ePanes}>
        <section className={classes("panel", css.pane, css.codep)} aria-label="Editor">
          <FileTabs files={files} open={file} />
          <div className={css.edBody}>
            {file === undefined || file.name === path ? (
              <CodeEditor
                label={`Text of ${flow}`}
                text={draft.text}
                language="yaml"
                readOnly={!mayWrite || isSmall}
                isFirst={draft.saved === undefined && !isSmall}
                problems={shown}
                goTo={goTo}
                complete={(upTo, whole) => completions(upTo, whole, FILE_KEYS, names)}
                about={(word, upTo) => meaning(word, upTo, FILE_KEYS, names)}
                onChange={draft.write}
                onSave={save}
                onRun={rehearse}
                onFix={fix}
                onLine={atLine}
              />
            ) : (
              <OtherFile key={file.name} api={api} file={file} readOnly={!mayWrite || isSmall} />
            )}
          </div>
          <footer className={css.edFoot}>
            <Tally problems={checked.problems} fault={checked.fault} onNext={next} />
            <LineProblem problems={shown} line={line} onFix={fix} />
            <span className="grow" />
            <span className="dim nowrap">line {line}</span>
            <span className="dim hide-s nowrap">
              <kbd>F8</kbd> next problem
            </span>
          </footer>
        </section>
        <GraphPanel
          graph={graph}
          words={graphWords(draft, checked.isGraphFresh)}
          chosen={chosen}
          faults={faults}
          tried={tried}
          isLarge={isLarge}
          onLarge={() => goQuery({ graph: isLarge ? undefined : "large" })}
          onChoose={choose}
        />
        <SidePanel api={api} flow={flow} draft={draft} tabs={tabs} tab={tab} counts={counts} onOpen={open}>
          <TryIt start={graph?.start} trying={trying} isChanged={draft.isChanged} isStored={draft.saved !== undefined} errors={errors} />
          <Drafts api={api} onTry={graph === undefined ? undefined : trying.tryDraft} isBusy={trying.busy !== undefined} />
        </SidePanel>
      </div>
      {draft.conflict !== undefined && <Conflict draft={draft} theirs={draft.conflict} language="yaml" />}
      {isDiscarding && <DiscardFlow flow={flow} onClose={() => setDiscarding(false)} />}
      {isRemoving && <RemoveFlow api={api} flow={flow} onClose={() => setRemoving(false)} />}
    </main>
  )
}

const graphWords = ({ isChanged }: FlowDraft, isGraphFresh: boolean): string =>
  isGraphFresh ? (isChanged ? "of the draft" : "as saved") : "from the last version that could be read"
