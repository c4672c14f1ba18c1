// The shell: the bar with the places that there are, and the place that the address names.

import { useEffect } from "react"
import { ChatPage } from "../chat/chat-page.tsx"
import { Icon, type IconName } from "./icons.tsx"
import { Link } from "./link.tsx"
import { addressOf, go, usePlace } from "./place.ts"
import { signOut, useSession } from "./session.ts"
import { SignIn } from "./sign-in.tsx"
import { changeTheme } from "./theme.ts"

/** In the order of the bar. A place is here once it has a page. */
const PLACES = [{ name: "chat", label: "Chat", icon: "chat" }] as const satisfies readonly {
  readonly name: string
  readonly label: string
  readonly icon: IconName
}[]
const FIRST = PLACES[0].name

export function Console() {
  const api = useSession()
  const [place, ...rest] = usePlace()
  const known = PLACES.find(({ name }) => name === place)
  useEffect(() => {
    if (api && !known) go(addressOf(FIRST), "replace")
  }, [api, known])
  if (!api) return <SignIn />
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="top">
        <Link className="brand" href={addressOf()}>
          <Icon name="mark" />
          Sluice
        </Link>
        <nav className="nav" aria-label="Console">
          {PLACES.map(({ name, label, icon }) => (
            <Link key={name} href={addressOf(name)} aria-current={name === place ? "page" : undefined}>
              <Icon name={icon} />
              {label}
            </Link>
          ))}
        </nav>
        <div className="top-end">
          <button className="btn bare square" type="button" onClick={changeTheme} aria-label="Change theme" title="Change theme">
            <Icon name="theme" />
          </button>
          <button className="btn bare square" type="button" onClick={signOut} aria-label="Sign out" title="Sign out">
            <Icon name="leave" />
          </button>
        </div>
      </header>
      {known && <ChatPage api={api} flow={rest[0]} thread={rest[1]} />}
    </>
  )
}
