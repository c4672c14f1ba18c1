// Writes JSON Pointers for messages, and shortens a caller's names so that messages can quote them.

export const short = (name: string): string => (name.length > 100 ? `${name.slice(0, 99)}…` : name)

/** A step of a JSON Pointer, including its `/`. */
export const pointerStep = (key: string | number): string => `/${short(String(key)).replaceAll("~", "~0").replaceAll("/", "~1")}`

/** The members that a JSON Pointer leads through. */
export const pathOf = (pointer: string): string[] =>
  pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
