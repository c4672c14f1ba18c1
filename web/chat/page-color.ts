// The color that a page gives to a chat: of its opener and of the buttons that go on. It is taken only where it can be seen (3:1 against the surface)
// and where words on it can be read (4.5:1), in each theme by itself.

/** The surfaces of web/tokens.css. */
const SURFACES = { light: "#ffffff", dark: "#17181b" } as const
const [WHITE, BLACK] = ["#ffffff", "#000000"]
const [SEEN, READ] = [3, 4.5]

export interface PageColor {
  readonly back: string
  readonly ink: string
}

/** undefined: the theme keeps its own. */
export type PageColors = Readonly<Record<keyof typeof SURFACES, PageColor | undefined>>

/** undefined: this is no color of six hexadecimal digits. */
export function pageColors(text: string): PageColors | undefined {
  if (!/^#[0-9a-f]{6}$/i.test(text)) return undefined
  const ink = contrast(text, WHITE) >= READ ? WHITE : BLACK
  const on = (surface: string): PageColor | undefined =>
    contrast(text, surface) >= SEEN && contrast(text, ink) >= READ ? { back: text, ink } : undefined
  return { light: on(SURFACES.light), dark: on(SURFACES.dark) }
}

/** WCAG 2.2. */
export function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}
