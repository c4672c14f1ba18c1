// /console/settings/SECTION: the list of sections, and the one that the address names.

import { Suspense, useEffect } from "react"
import { Guard } from "../parts/guard.tsx"
import { Select } from "../parts/select.tsx"
import { Skeleton } from "../parts/skeleton.tsx"
import { Link } from "../shell/link.tsx"
import { addressOf, go } from "../shell/place.ts"
import type { PlaceProps } from "../shell/place-props.ts"
import type { Api } from "../shell/session.ts"
import { titled } from "../shell/title.ts"
import { firstSection, GROUPS, SECTIONS, type SettingsSection } from "./sections.tsx"
import { classes } from "../parts/classes.ts"
import css from "./settings.module.css"

export function SettingsPlace({ api, rest: [name, ...rest] }: PlaceProps) {
  const section = SECTIONS.find((one) => one.name === name)
  const first = firstSection(api.who.scopes)
  useEffect(() => {
    if (!section) go(addressOf("settings", first.name), "replace")
    else titled(`${section.label} · Settings`)
  }, [section, first])
  return (
    <main id="main" className={classes("page", css.set)}>
      <nav className={css.snav} aria-label="Settings">
        {GROUPS.map(({ label, sections }) => (
          <section key={label}>
            <h3>{label}</h3>
            {sections.map((one) => (
              <Link key={one.name} href={addressOf("settings", one.name)} aria-current={one.name === name ? "page" : undefined}>
                {one.label}
              </Link>
            ))}
          </section>
        ))}
      </nav>
      <Select
        className={css.spick}
        aria-label="Section"
        value={section?.name ?? first.name}
        choices={GROUPS.flatMap(({ label: group, sections }) => sections.map(({ name: value, label: words }) => ({ value, words, group })))}
        onChange={(next) => go(addressOf("settings", next))}
      />
      <div className={css.sbody}>{section && <Opened key={section.name} api={api} section={section} rest={rest} />}</div>
    </main>
  )
}

interface OpenedProps {
  readonly api: Api
  readonly section: SettingsSection
  readonly rest: readonly string[]
}

function Opened({ api, section: { label, needs, page: Page }, rest }: OpenedProps) {
  const { scopes, key } = api.who
  if (needs !== undefined && !scopes.includes(needs))
    return (
      <>
        <div className="page-head">
          <h1>{label}</h1>
        </div>
        <div className="panel empty-state">
          <h2>You may not see this page</h2>
          <p className="mid">
            It needs the scope {needs}. Your key “{key}” has {scopes.join(", ")}. Sign in with a key that has {needs}.
          </p>
        </div>
      </>
    )
  return (
    <Guard of={label} what={label}>
      <Suspense fallback={<Skeleton words={`Reading ${label}`} />}>
        <Page api={api} rest={rest} />
      </Suspense>
    </Guard>
  )
}
