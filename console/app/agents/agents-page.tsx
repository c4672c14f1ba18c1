// The list: what each agent and each skill is for, which model it asks, and what names it. `?kind=skill` shows skills, `?q=` filters.

import { useEffect, useRef, useState } from "react"
import type { Used } from "../../../src/api/doc/used.doc.ts"
import { visible } from "../../../web/chat/wording.ts"
import { counted } from "../parts/figures.ts"
import { Skeleton } from "../parts/skeleton.tsx"
import { useAsked } from "../parts/asked.ts"
import { keptDrafts } from "../flows/kept-drafts.ts"
import { Icon } from "../shell/icons.tsx"
import { useKeys } from "../shell/keys.ts"
import { Link } from "../shell/link.tsx"
import { addressOf, goQuery, useQuery } from "../shell/place.ts"
import type { Api } from "../shell/session.ts"
import { titled } from "../shell/title.ts"
import { definitionAddress, listAddress, type PageKind } from "./definition-address.ts"
import { NewDefinition } from "./new-definition.tsx"
import { classes } from "../parts/classes.ts"
import css from "./agents.module.css"

export function AgentsPage({ api }: { readonly api: Api }) {
  const query = useQuery()
  const kind: PageKind = query.get("kind") === "skill" ? "skill" : "agent"
  const wanted = (query.get("q") ?? "").trim().toLowerCase()
  const [isNew, setNew] = useState(false)
  const { value, fault, again } = useAsked(["catalog", "used", kind], async () => ({ kind, rows: await api.catalog.used(kind).all() }))
  const field = useRef<HTMLInputElement>(null)
  const table = useRef<HTMLTableElement>(null)
  useEffect(() => titled(kind === "agent" ? "Agents" : "Skills"), [kind])
  const move = (by: number): unknown => {
    const links = [...(table.current?.querySelectorAll<HTMLAnchorElement>("tbody th a") ?? [])]
    const at = links.findIndex((link) => link === document.activeElement)
    return links[Math.max(0, Math.min(links.length - 1, at + by))]?.focus() ?? false
  }
  const mayWrite = api.who.scopes.includes("catalog:write")
  useKeys("list", {
    next: () => move(1),
    previous: () => move(-1),
    filter: () => field.current?.focus(),
    new: () => (mayWrite ? setNew(true) : false),
  })
  const rows = value?.kind === kind ? value.rows : undefined
  // A skill is named by its folder.
  const unsaved = new Set(
    keptDrafts().flatMap((one) => (one.kind === kind ? [kind === "skill" ? (one.id.split("/")[0] ?? "") : one.id] : [])),
  )
  const shown = rows
    ?.filter(({ id, description }) => `${id} ${description}`.toLowerCase().includes(wanted))
    .sort(
      (a, b) =>
        Number(unsaved.has(b.id)) - Number(unsaved.has(a.id)) ||
        Number(a.tier === "built-in") - Number(b.tier === "built-in") ||
        (a.id < b.id ? -1 : 1),
    )
  const noun = kind === "agent" ? "agent" : "skill"
  return (
    <main id="main" className="page ags">
      <div className="page-head">
        <nav className="subtabs" aria-label="Agents and skills">
          {(["agent", "skill"] as const).map((one) => (
            <Link key={one} href={listAddress(one)} aria-current={one === kind ? "page" : undefined}>
              {one === kind ? <h1>{LABELS[one]}</h1> : LABELS[one]}
            </Link>
          ))}
          <Link href={addressOf("tools")}>Tools</Link>
        </nav>
        {shown !== undefined && <span className="dim">{counted(shown.length, noun)}</span>}
        <span className="grow" />
        <label className="vh" htmlFor="ag-q">
          Filter by name or description
        </label>
        <input
          id="ag-q"
          ref={field}
          className={classes("input", css.agQ)}
          type="search"
          placeholder="Filter"
          value={query.get("q") ?? ""}
          onChange={({ target }) => goQuery({ q: target.value })}
        />
        {mayWrite && (
          <button className="btn first" type="button" onClick={() => setNew(true)}>
            New {noun} <kbd>N</kbd>
          </button>
        )}
      </div>
      {fault !== undefined && (
        <p className="note failed" role="alert">
          <Icon name="failed" />
          <span>
            The {noun}s could not be read. {fault}
          </span>
          <button className="btn" type="button" onClick={again}>
            Try again
          </button>
        </p>
      )}
      {shown === undefined ? (
        fault === undefined && <Skeleton words={`Reading the ${noun}s`} />
      ) : shown.length === 0 ? (
        <Empty kind={kind} isFiltered={wanted !== ""} />
      ) : (
        <section className="panel" aria-label={LABELS[kind]}>
          <table className={classes("tbl", css.agList)} ref={table}>
            <thead>
              <tr>
                <th scope="col">Name</th>
                {kind === "agent" && (
                  <>
                    <th scope="col" className={css.agM}>
                      Model or role
                    </th>
                    <th scope="col" className={classes("num", css.agN)}>
                      Tools
                    </th>
                  </>
                )}
                <th scope="col" className={css.agU}>
                  Used by
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((row) => (
                <Row key={row.id} kind={kind} row={row} isUnsaved={unsaved.has(row.id)} />
              ))}
            </tbody>
          </table>
        </section>
      )}
      {isNew && <NewDefinition api={api} kind={kind} onClose={() => setNew(false)} />}
    </main>
  )
}

const LABELS: Readonly<Record<PageKind, string>> = { agent: "Agents", skill: "Skills" }

function Row({ kind, row, isUnsaved }: { readonly kind: PageKind; readonly row: Used; readonly isUnsaved: boolean }) {
  const { id, description, model, thinking, tools, uses, used, tier, errors } = row
  return (
    <tr>
      <th scope="row">
        <Link className="link" href={definitionAddress(kind, id)}>
          {visible(id)}
        </Link>{" "}
        {tier !== "local" && <span className="tag">{row.package ?? tier}</span>}{" "}
        {isUnsaved && <span className="tag running">not saved</span>}{" "}
        {errors > 0 && <span className="tag error">{counted(errors, "error")}</span>}
        <p className={classes("mid", css.agD)}>{visible(description)}</p>
      </th>
      {kind === "agent" && (
        <>
          <td className={classes("mono", css.agM)}>
            {visible(model ?? "@default")}
            {thinking === undefined ? "" : `, ${thinking}`}
          </td>
          <td className={classes("num", css.agN)}>
            {tools === null ? "all" : tools}
            <span className={css.onlyS}> {tools === 1 ? "tool" : "tools"}</span>
          </td>
        </>
      )}
      <td className={classes("mid", css.agU)}>
        {used === 0
          ? "–"
          : uses
              .slice(0, SHOWN)
              .map(({ id: user, step }) => visible(step === undefined ? user : `${user}, ${step}`))
              .join("; ")}
        {used > SHOWN ? `, and ${used - SHOWN} more` : ""}
      </td>
    </tr>
  )
}

/** Uses named in a row; the page of the agent has more. */
const SHOWN = 2

function Empty({ kind, isFiltered }: { readonly kind: PageKind; readonly isFiltered: boolean }) {
  return (
    <section className="panel empty-state">
      <h2>{isFiltered ? "Nothing matches" : kind === "agent" ? "No agents yet" : "No skills yet"}</h2>
      <p className="mid">
        {kind === "agent"
          ? "An agent is a Markdown file: a model, the tools that it asks for, and what it is told."
          : "A skill is a Markdown file that agents read when their work calls for it."}
      </p>
      {isFiltered && (
        <button className="btn" type="button" onClick={() => goQuery({ q: undefined })}>
          Clear filter
        </button>
      )}
    </section>
  )
}
