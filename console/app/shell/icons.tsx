// Marks of 16 by 16 that the console has beside those of a conversation.

import type { ReactNode } from "react"

const line = { fill: "none", stroke: "currentColor", strokeWidth: 1.5, strokeLinecap: "round", strokeLinejoin: "round" } as const
const hole = { ...line, stroke: "var(--surface)", strokeWidth: 1.6 } as const

const SHIELD = "M8 1.800 13 3.600v3.900c0 3.100-2 5.400-5 6.700-3-1.300-5-3.600-5-6.700V3.600Z"

/** Their drawings, for a picture that has them inside. */
export const ICON_PATHS = {
  mark: (
    <g fill="none" stroke="currentColor" strokeWidth="1.7" strokeLinecap="square">
      <path d="M2.8 1.8v12.4M13.2 1.8v12.4" />
      <path d="M5.6 3.2h4.8v3.6H5.6Z" fill="currentColor" strokeWidth="1" />
      <path d="M5.2 11.2h5.6M5.2 14h5.6" strokeWidth="1.4" />
    </g>
  ),
  runs: <path {...line} d="M2.5 4h5M4.5 8h7M8.5 12h5" />,
  inbox: <path {...line} d="M2.2 9 4 3h8l1.8 6v4H2.2ZM2.4 9H6c.2 1.2 1 1.8 2 1.8s1.8-.6 2-1.8h3.6" />,
  agents: (
    <path {...line} d="M4.500 5h7a2 2 0 0 1 2 2v4a2 2 0 0 1-2 2h-7a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2ZM8 5V2.500M6 8.300v1.200M10 8.300v1.200" />
  ),
  settings: (
    <path
      {...line}
      d="M2 4.5h7M12.5 4.5H14M2 11.5h1.5M7 11.5h7M9 4.5a1.7 1.7 0 1 0 3.4 0 1.7 1.7 0 1 0-3.4 0M3.600 11.5a1.7 1.7 0 1 0 3.4 0 1.7 1.7 0 1 0-3.4 0"
    />
  ),
  chat: <path {...line} d="M2.3 3.5h11.4V11H7.2l-2.9 2.6V11h-2ZM5 6h6M5 8.4h4" />,
  help: (
    <path
      {...line}
      d="M2.25 8a5.75 5.75 0 1 0 11.500 0 5.75 5.75 0 1 0-11.500 0M6.500 6.500c0-.9.7-1.500 1.500-1.500s1.500.6 1.500 1.400c0 1-1.500 1.100-1.500 2.200M8 10.800v.1"
    />
  ),
  coin: (
    <path
      {...line}
      d="M2.25 8a5.75 5.75 0 1 0 11.500 0 5.75 5.75 0 1 0-11.500 0M9.800 6.100c-.4-.7-1-1-1.800-1-1 0-1.800.5-1.800 1.400 0 2 3.700.9 3.700 2.900 0 .9-.8 1.500-1.900 1.500-.9 0-1.600-.4-2-1.100M8 4v8"
    />
  ),
  mute: (
    <path
      {...line}
      d="M3 11.500h10c-1-1-1.200-2.400-1.200-4.500A3.800 3.800 0 0 0 8 3.200 3.800 3.800 0 0 0 4.200 7c0 2.100-.2 3.500-1.200 4.500ZM6.800 13.500h2.400M2.500 2.500l11 11"
    />
  ),
  check: <path {...line} d="m3 8.500 3.200 3.200L13 4.500" />,
  undo: <path {...line} d="M5.500 3 2.500 6l3 3M2.500 6h7a4 4 0 0 1 0 8H6" />,
  plus: <path {...line} d="M8 3v10M3 8h10" />,
  left: <path {...line} d="m9.8 4-4 4 4 4" />,
  file: <path {...line} d="M4 1.8h5l3 3v9.4H4ZM9 1.8v3h3" />,
  eye: (
    <>
      <path {...line} d="M1.5 8S4 3.5 8 3.5 14.5 8 14.5 8 12 12.5 8 12.5 1.5 8 1.5 8Z" />
      <circle {...line} cx="8" cy="8" r="2" />
    </>
  ),
  theme: (
    <>
      <circle {...line} cx="8" cy="8" r="5.75" />
      <path d="M8 2.25a5.75 5.75 0 0 1 0 11.5Z" fill="currentColor" />
    </>
  ),
  leave: <path {...line} d="M6.5 2.5h-4v11h4M10 5l3 3-3 3M13 8H6" />,
  search: <path {...line} d="M2.5 7a4.5 4.5 0 1 0 9 0 4.5 4.5 0 1 0-9 0M10.4 10.400l3.4 3.4" />,
  down: <path {...line} d="m4 6.2 4 4 4-4" />,
  right: <path {...line} d="m6.2 4 4 4-4 4" />,
  up: <path {...line} d="M8 13V3.5M4 7.3 8 3.3l4 4" />,
  first: <path {...line} d="M4 3.500v9M12 3.500 6.500 8l5.500 4.500Z" />,
  x: <path {...line} d="m4 4 8 8M12 4l-8 8" />,
  minus: <path {...line} d="M3.5 8h9" />,
  more: (
    <path
      fill="currentColor"
      d="M2.200 8a1.300 1.300 0 1 0 2.600 0 1.300 1.300 0 1 0-2.600 0M6.700 8a1.300 1.300 0 1 0 2.600 0 1.300 1.300 0 1 0-2.600 0M11.200 8a1.300 1.300 0 1 0 2.600 0 1.300 1.300 0 1 0-2.600 0"
    />
  ),
  copy: <path {...line} d="M5.500 5.500h8v8h-8ZM3 10.500h-.5v-8h8V3" />,
  bolt: <path {...line} d="M8.800 1.800 3.500 9H8l-.8 5.200L12.500 7H8Z" />,
  overview: <path {...line} d="M2.500 13.500v-4M6.200 13.500v-7M9.900 13.500v-5M13.500 13.500v-11" />,
  bookmark: <path {...line} d="M4 2.500h8v11L8 10.600 4 13.500Z" />,
  trash: <path {...line} d="M3 4.500h10M6.200 4.500v-2h3.600v2M4.300 4.500l.7 9h6l.7-9M6.800 7v4M9.200 7v4" />,
  table: <path {...line} d="M2.500 3.500h11v9h-11ZM2.500 6.500h11M6.500 6.500v6" />,
  clock: <path {...line} d="M2.250 8a5.750 5.750 0 1 0 11.500 0 5.750 5.750 0 1 0-11.500 0M8 4.800V8l2.200 1.600" />,
  term: <path {...line} d="m3 5 3 3-3 3M8 11.500h5" />,
  person: (
    <path
      {...line}
      d="M5.400 5.300a2.600 2.600 0 1 0 5.200 0 2.600 2.600 0 1 0-5.200 0M2.900 13.600c.6-2.600 2.600-4 5.100-4s4.500 1.400 5.100 4"
    />
  ),
  child: <path {...line} d="M2 2h7v5H2ZM8 9.500h6V14H8ZM4.500 7v4.700H8" />,
  loop: <path {...line} d="M13 8a5 5 0 0 1-9 3M3 8a5 5 0 0 1 9-3M12.300 2.200v3H9.400M3.700 13.800v-3h2.900" />,
  split: (
    <path {...line} d="M2.500 8H6l3.500-4H13M6 8l3.500 4H13M11.500 2.500l1.700 1.500-1.700 1.500M11.500 10.500l1.700 1.500-1.700 1.500" />
  ),
  path: <path {...line} d="M2.500 12.500h3l4-9h4M2.500 3.500h3M10.500 12.500h3" />,
  shield: <path {...line} d={SHIELD} />,
  refused: <path {...line} d={`${SHIELD}M6.200 6.200l3.600 3.600M9.800 6.200l-3.600 3.600`} />,
  asks: <path {...line} d={`${SHIELD}M8 5v3.400M8 10.800v.1`} />,
  fork: (
    <path
      {...line}
      d="M2.500 3.500a1.500 1.500 0 1 0 3 0 1.500 1.500 0 1 0-3 0M2.500 12.500a1.500 1.500 0 1 0 3 0 1.500 1.500 0 1 0-3 0M10.500 5.500a1.500 1.500 0 1 0 3 0 1.500 1.500 0 1 0-3 0M4 5v6M12 7c0 2.500-3 2.200-8 3.300"
    />
  ),
  edit: <path {...line} d="m3 13 .7-2.900L10.800 3 13 5.200l-7.100 7.100ZM9.300 4.500l2.200 2.200" />,
  again: <path {...line} d="M13 8a5 5 0 1 1-1.500-3.600M13 2v3h-3" />,
  compare: <path {...line} d="M2 3h5v10H2ZM9 3h5v10H9Z" />,
  quality: (
    <>
      <path {...line} d="M2.500 4h11M2.500 8h11M2.500 12h11" />
      <path
        {...line}
        fill="var(--surface)"
        d="M4.400 4a1.600 1.600 0 1 0 3.200 0 1.600 1.600 0 1 0-3.200 0M8.900 8a1.600 1.600 0 1 0 3.200 0 1.600 1.600 0 1 0-3.200 0M5.900 12a1.600 1.600 0 1 0 3.200 0 1.600 1.600 0 1 0-3.200 0"
      />
    </>
  ),
  thumb: (
    <path
      {...line}
      d="M5 7.200 7.700 2.500c1 0 1.600.7 1.400 1.700L8.700 6.500h3.500c.9 0 1.500.8 1.300 1.600l-1 4.300c-.1.600-.7 1.100-1.300 1.100H5ZM2.500 7.200H5v6.300H2.500Z"
    />
  ),
  flask: (
    <path {...line} d="M6 2.500h4M6.800 2.500v4L3.200 12.500a.8.8 0 0 0 .7 1.200h8.200a.8.8 0 0 0 .7-1.200L9.200 6.500v-4M4.900 10h6.200" />
  ),
  link: (
    <path {...line} d="M6.500 9.500 9.500 6.500M7 5l1.300-1.300a2.600 2.600 0 0 1 4 4L11 9M9 11l-1.300 1.300a2.600 2.600 0 0 1-4-4L5 7" />
  ),
  warn: <path {...line} d="M8 2.2 14.3 13H1.7ZM8 6.3v3M8 11.2v.1" />,
  spark: <path {...line} d="M8 2.2 9.4 6.6 13.8 8 9.4 9.4 8 13.8 6.6 9.4 2.2 8l4.4-1.4Z" />,
  flows: (
    <path
      {...line}
      d="M2.8 6h2a1 1 0 0 1 1 1v2a1 1 0 0 1-1 1h-2a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1ZM11.2 2h2a1 1 0 0 1 1 1v2a1 1 0 0 1-1 1h-2a1 1 0 0 1-1-1V3a1 1 0 0 1 1-1ZM11.2 10h2a1 1 0 0 1 1 1v2a1 1 0 0 1-1 1h-2a1 1 0 0 1-1-1v-2a1 1 0 0 1 1-1ZM5.8 8h2.1M10.2 4H8v8h2.2"
    />
  ),
  skipped: <path {...line} d="m3 4 4 4-4 4M8.500 4l4 4-4 4" />,
  blocked: <path {...line} strokeWidth="2" d="M2.500 8a5.500 5.500 0 1 0 11 0 5.500 5.500 0 1 0-11 0M5 8h6" />,
  queue: <path {...line} d="M2.500 3.500v9M6 5h7.500M6 8h5.500M6 11h3.500" />,
  merge: <path {...line} d="M3 3.500c4 0 4 4.500 8.500 4.500M3 12.500c4 0 4-4.500 8.500-4.500M3 8h10.500M11 5.500 13.500 8 11 10.500" />,
  key: <path {...line} d="M2.500 8a2.500 2.500 0 1 0 5 0 2.500 2.500 0 1 0-5 0M7.500 8h6v2.500M11 8v2" />,
  queued: <circle {...line} cx="8" cy="8" r="5.75" strokeDasharray="3 2.5" />,
  running: (
    <>
      <circle {...line} strokeOpacity=".3" strokeWidth="1.8" cx="8" cy="8" r="5.75" />
      <path {...line} strokeWidth="2" d="M8 2.25A5.75 5.75 0 0 1 13.75 8" />
      <circle cx="8" cy="8" r="1.9" fill="currentColor" />
    </>
  ),
  waiting: (
    <>
      <path d="M8 .9 15.1 8 8 15.1.9 8Z" fill="currentColor" />
      <path {...hole} d="M6.3 6.5c0-1 .75-1.65 1.7-1.65s1.7.65 1.7 1.6c0 1.15-1.7 1.25-1.7 2.35M8 10.9v.1" />
    </>
  ),
  succeeded: (
    <>
      <circle cx="8" cy="8" r="6.5" fill="currentColor" />
      <path {...hole} d="m5.1 8.2 2 2 3.8-4.2" />
    </>
  ),
  failed: (
    <>
      <path d="M5.2 1.2h5.6l4 4v5.6l-4 4H5.2l-4-4V5.2Z" fill="currentColor" />
      <path {...hole} d="m5.7 5.7 4.6 4.6M10.3 5.7l-4.6 4.6" />
    </>
  ),
  canceled: <path {...line} d="M2.250 8a5.750 5.750 0 1 0 11.500 0 5.750 5.750 0 1 0-11.500 0M4 12l8-8" />,
  paused: <path {...line} strokeWidth="2" d="M5.5 3.5v9M10.5 3.500v9" />,
  folder: <path {...line} d="M2 4.500V12a1 1 0 0 0 1 1h10a1 1 0 0 0 1-1V6a1 1 0 0 0-1-1H8L6.500 3.500H3a1 1 0 0 0-1 1Z" />,
  lock: (
    <path
      {...line}
      d="M4.200 7h7.600A1.200 1.200 0 0 1 13 8.200v4.100a1.200 1.200 0 0 1-1.200 1.200H4.200A1.200 1.200 0 0 1 3 12.300V8.200A1.200 1.200 0 0 1 4.200 7ZM5.200 7V5.200a2.800 2.800 0 0 1 5.600 0V7"
    />
  ),
  plug: <path {...line} d="M5.500 2v3M10.500 2v3M3.500 5h9v2.500a4.500 4.500 0 0 1-9 0ZM8 12v2.500" />,
  braces: (
    <path
      {...line}
      d="M6 2.500c-2 0-1 4.500-3.200 5.500 2.200 1 1.200 5.500 3.200 5.500M10 2.500c2 0 1 4.500 3.200 5.500-2.200 1-1.200 5.500-3.200 5.500"
    />
  ),
  stop: <path {...line} d="M3.500 3.500h9v9h-9Z" />,
  play: <path {...line} d="M4.500 2.800 13 8l-8.500 5.200Z" />,
} as const satisfies Readonly<Record<string, ReactNode>>

export type IconName = keyof typeof ICON_PATHS

/** With a label it is an image, without one a decoration. */
export function Icon({
  name,
  kind = "i",
  label,
}: {
  readonly name: IconName
  readonly kind?: string | undefined
  readonly label?: string
}) {
  const said = label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": label }
  return (
    <svg className={kind} viewBox="0 0 16 16" {...said}>
      {ICON_PATHS[name]}
    </svg>
  )
}
