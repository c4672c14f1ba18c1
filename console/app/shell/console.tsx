// The shell: the bar with the places that there are, and the place that the address names.

import { Suspense, useEffect, useMemo, useState } from "react"
import { isOnFirstSteps } from "../first-run/first-steps.ts"
import { WaitingCount } from "../inbox/waiting-count.tsx"
import { Opened } from "../parts/dialog.tsx"
import { Guard } from "../parts/guard.tsx"
import { KeySheet } from "../parts/key-sheet.tsx"
import { later } from "../parts/later.ts"
import { Tips } from "../parts/tips.tsx"
import { SMALL, useMedia } from "../parts/use-media.ts"
import { useHeadingFocus } from "./focus.ts"
import { Icon } from "./icons.tsx"
import { useKeys } from "./keys.ts"
import { Link } from "./link.tsx"
import type { PaletteChoice } from "./palette-choices.ts"
import { IN_BAR, MorePlaces } from "./more-places.tsx"
import { addressOf, go, usePlace } from "./place.ts"
import { FIRST_PLACE } from "./place-keys.ts"
import { PLACES } from "./places.ts"
import { signOut, useSession } from "./session.ts"
import { SignIn } from "./sign-in.tsx"
import { useStream } from "./stream.ts"
import { changeTheme } from "./theme.ts"
import { holdForDialog } from "./typed-ahead.ts"
import css from "./shell.module.css"

const Palette = later(async () => (await import("./palette.tsx")).Palette)

/** What /console/ shows: the page of the first run, which leads to the first place once it is over. */
const FirstRunPage = later(async () => (await import("../first-run/first-run-page.tsx")).FirstRunPage)

const FirstLead = later(async () => (await import("../first-run/first-lead.tsx")).FirstLead)

export function Console() {
  const api = useSession()
  useStream(api)
  useHeadingFocus()
  const [place, ...rest] = usePlace()
  const known = PLACES.find(({ name }) => name === place)
  useEffect(() => {
    if (api && place !== undefined && !known) go(addressOf(FIRST_PLACE), "replace")
  }, [api, place, known])
  const isSmall = useMedia(SMALL)
  const inBar = PLACES.filter(({ under }) => under === undefined)
  const [isKeys, setKeys] = useState(false)
  const [isFinding, setFinding] = useState(false)
  const goTo = ({ key }: KeyboardEvent): void => go(addressOf(PLACES.find((one) => one.key === key.toLowerCase())?.name ?? FIRST_PLACE))
  useKeys("everywhere", { go: goTo, help: () => setKeys(true), find: () => setFinding(true) }, !api)
  const deeds = useMemo(() => DEEDS(() => setKeys(true)), [])
  // Until the server says whether there is a session, there is nothing to show.
  if (api === undefined) return null
  if (api === null) return <SignIn />
  return (
    <>
      <a className={css.skip} href="#main">
        Skip to content
      </a>
      <header className={css.top}>
        <Link className={css.brand} href={addressOf()}>
          <Icon name="mark" />
          Sluice
        </Link>
        <span className={css.who} title={`Signed in as ${api.who.by}, tenant ${api.who.tenant}`}>
          / {api.who.tenant}
          {api.who.by === api.who.key ? "" : `, ${api.who.by}`}
        </span>
        <nav className={css.nav} aria-label="Console">
          {(isSmall ? inBar.slice(0, IN_BAR) : inBar).map(({ name, label, icon }) => (
            <Link key={name} href={addressOf(name)} aria-current={name === (known?.under ?? place ?? FIRST_PLACE) ? "page" : undefined}>
              <Icon name={icon} />
              {label}
              {name === "inbox" && <WaitingCount api={api} />}
            </Link>
          ))}
          {isSmall && <MorePlaces at={place ?? FIRST_PLACE} />}
        </nav>
        <div className={css.topEnd}>
          <button className={css.find} type="button" aria-haspopup="dialog" onClick={() => setFinding(true)}>
            <Icon name="search" kind="i-s" />
            <span>Find or do</span>
            <kbd>Ctrl K</kbd>
          </button>
          <button className="btn bare square" type="button" onClick={changeTheme} aria-label="Change theme" title="Change theme">
            <Icon name="theme" />
          </button>
          <button className="btn bare square" type="button" onClick={() => void signOut()} aria-label="Sign out" title="Sign out">
            <Icon name="leave" />
          </button>
        </div>
      </header>
      {place !== undefined && isOnFirstSteps() && (
        <Guard of="" what="The first steps">
          <Suspense>
            <FirstLead api={api} />
          </Suspense>
        </Guard>
      )}
      <Guard of={[place, ...rest].join("/")} what="This page" isPage>
        <Suspense fallback={<main id="main" aria-busy="true" />}>
          {place === undefined && <FirstRunPage api={api} />}
          {known && <known.page api={api} rest={rest} />}
        </Suspense>
      </Guard>
      {isFinding && (
        <Opened title="Find or do" onClose={() => setFinding(false)}>
          <Palette api={api} deeds={deeds} onClose={() => setFinding(false)} />
        </Opened>
      )}
      {isKeys && <KeySheet onClose={() => setKeys(false)} />}
      <Tips />
    </>
  )
}

const DEEDS = (showKeys: () => void): readonly PaletteChoice[] => [
  {
    key: "new",
    icon: "plus",
    label: "New run",
    about: "start a run",
    keys: "N",
    act: newRun,
  },
  { key: "failed", icon: "failed", label: "Failed runs", about: "runs", act: () => go(`${addressOf("runs")}?status=failed`) },
  { key: "failures", icon: "failed", label: "Failures in groups", about: "runs", act: () => go(addressOf("runs", "failures")) },
  { key: "effects", icon: "inbox", label: "Effects to decide", about: "inbox", act: () => go(addressOf("inbox", "effects")) },
  { key: "keys", icon: "term", label: "Keys", about: "help", keys: "?", act: showKeys },
  { key: "theme", icon: "theme", label: "Change theme", about: "light or dark", act: changeTheme },
  { key: "leave", icon: "leave", label: "Sign out", about: "session", act: () => void signOut() },
]

function newRun(): void {
  holdForDialog()
  go(`${addressOf("runs")}?new=1`)
}
