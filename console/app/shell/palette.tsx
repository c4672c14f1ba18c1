// Ctrl K: find a run, a flow or an agent by its words, go to a place, or do what the console does everywhere.

import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from "react"
import { visible } from "../../../web/chat/wording.ts"
import { Dialog } from "../parts/dialog.tsx"
import { useAsked } from "../parts/asked.ts"
import { Icon, type IconName } from "./icons.tsx"
import { found, type PaletteChoice } from "./palette-choices.ts"
import { addressOf, go } from "./place.ts"
import { PLACES } from "./places.ts"
import type { Api } from "./session.ts"
import css from "./palette.module.css"

interface Props {
  readonly api: Api
  readonly onClose: () => void
  /** What is done beside going to a place. */
  readonly deeds: readonly PaletteChoice[]
}

/** The newest runs are looked through; an older one is opened by its id. */
const RUNS = 200

export function Palette({ api, onClose, deeds }: Props) {
  const [text, setText] = useState("")
  const [at, setAt] = useState(0)
  const [list, box] = [useId(), useRef<HTMLUListElement>(null)]
  const things = useAsked(["once", "palette"], () => thingsOf(api))
  const choices = useMemo(() => found(text, [...placesOf(), ...deeds, ...(things.value ?? [])]), [text, deeds, things.value])
  const here = Math.min(at, Math.max(0, choices.length - 1))
  useEffect(() => {
    // What it answers is no clean-up: newer browsers answer a promise.
    box.current?.children[here]?.scrollIntoView({ block: "nearest" })
  }, [here, choices])
  const act = (choice: PaletteChoice | undefined): void => {
    if (!choice) return
    onClose()
    choice.act()
  }
  const pressed = (event: KeyboardEvent): void => {
    const to = { ArrowDown: here + 1, ArrowUp: here - 1 }[event.key]
    if (to !== undefined) setAt((to + choices.length) % Math.max(1, choices.length))
    else if (event.key === "Enter") act(choices[here])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Find or do" onClose={onClose}>
      <div className={css.pal}>
        <input
          className="input"
          type="text"
          role="combobox"
          aria-label="Find a run, a flow or an agent, or do something"
          aria-expanded={choices.length > 0}
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={choices.length === 0 ? undefined : `${list}-${here}`}
          placeholder="A run, a flow, an agent, a place, or what to do"
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            setAt(0)
          }}
          onKeyDown={pressed}
        />
        {choices.length > 0 && (
          <ul role="listbox" id={list} aria-label="Found" ref={box}>
            {choices.map((choice, i) => (
              <li key={choice.key} id={`${list}-${i}`} role="option" aria-selected={i === here} onClick={() => act(choice)}>
                <Icon name={choice.icon} kind="i dim" />
                <span className="cut">{choice.label}</span>
                <span className="cut dim">{choice.about}</span>
                {choice.keys !== undefined && <kbd>{choice.keys}</kbd>}
              </li>
            ))}
          </ul>
        )}
        {choices.length === 0 && (
          <p className="dim" role="status">
            No matches among places, flows, agents and the newest {RUNS} runs.
          </p>
        )}
        {things.fault !== undefined && (
          <p className="msg error" role="alert">
            Runs and definitions could not be read. {things.fault}
          </p>
        )}
      </div>
    </Dialog>
  )
}

const placesOf = (): PaletteChoice[] =>
  PLACES.map(({ name, label, icon, key }) => ({
    key: `place ${name}`,
    icon,
    label,
    about: "place",
    keys: `G ${key.toUpperCase()}`,
    act: () => go(addressOf(name)),
  }))

const KINDS: Readonly<Record<string, readonly [place: string, icon: IconName]>> = { flow: ["flows", "split"], agent: ["agents", "chat"] }

/** Definitions open where there is a place for them; a flow can be started in any case. */
async function thingsOf(api: Api): Promise<PaletteChoice[]> {
  const [catalog, runs] = await Promise.all([api.catalog.list(), api.runs.list({ limit: RUNS }).page()])
  const named = new Set<string>(PLACES.map(({ name }) => name))
  const definitions = catalog.data.flatMap(({ kind, id, tier }): PaletteChoice[] => {
    const [place, icon] = KINDS[kind] ?? []
    if (place === undefined || icon === undefined) return []
    const about = tier === "built-in" ? `${kind}, built in` : kind
    const open: PaletteChoice = { key: `${kind} ${id}`, icon, label: id, about, act: () => go(addressOf(place, id)) }
    const start: PaletteChoice = {
      key: `start ${id}`,
      icon: "play",
      label: `Run ${id}`,
      about: "start a run",
      act: () => go(`${addressOf("runs")}?new=1&flow=${encodeURIComponent(id)}`),
    }
    return [...(named.has(place) ? [open] : []), ...(kind === "flow" ? [start] : [])]
  })
  const listed = runs.data.map(({ id, flow, status, task }): PaletteChoice => ({
    key: id,
    icon: "runs",
    label: task === undefined ? flow : `${flow}: ${visible(task)}`,
    about: status,
    words: id,
    act: () => go(addressOf("runs", id)),
  }))
  return [...definitions, ...listed]
}
