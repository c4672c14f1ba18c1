// The classes of an element: those of its module, of the base, and those that only some states have.

export const classes = (...names: readonly (string | false | undefined)[]): string => names.filter(Boolean).join(" ")
