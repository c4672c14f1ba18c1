// Marks of 16 by 16 that the console has beside those of a conversation.

import type { ReactNode } from "react"

const line = { fill: "none", stroke: "currentColor", strokeWidth: 1.5, strokeLinecap: "round", strokeLinejoin: "round" } as const
const hole = { ...line, stroke: "var(--surface)", strokeWidth: 1.6 } as const

const ICONS = {
  mark: (
    <g fill="none" stroke="currentColor" strokeWidth="1.7" strokeLinecap="square">
      <path d="M2.8 1.8v12.4M13.2 1.8v12.4" />
      <path d="M5.6 3.2h4.8v3.6H5.6Z" fill="currentColor" strokeWidth="1" />
      <path d="M5.2 11.2h5.6M5.2 14h5.6" strokeWidth="1.4" />
    </g>
  ),
  chat: <path {...line} d="M2.3 3.5h11.4V11H7.2l-2.9 2.6V11h-2ZM5 6h6M5 8.4h4" />,
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
  canceled: <path {...line} d="M4.5 3.5h7a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-7a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1Z" />,
  paused: <path {...line} strokeWidth="2" d="M5.5 3.5v9M10.5 3.500v9" />,
} as const satisfies Readonly<Record<string, ReactNode>>

export type IconName = keyof typeof ICONS

/** With a label it is an image, without one a decoration. */
export function Icon({ name, kind = "i", label }: { readonly name: IconName; readonly kind?: string; readonly label?: string }) {
  const said = label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": label }
  return (
    <svg className={kind} viewBox="0 0 16 16" {...said}>
      {ICONS[name]}
    </svg>
  )
}
