// Validates names of agents, skills, flows, inputs and outputs [F5].

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,99}$/
const RESERVED = new Set(["__proto__", "constructor", "prototype"])

/** Tells whether this is a valid name of an output. Unlike an input's name, it is never a key of a YAML file, where some words are refused [F1]. */
export const isOutputName = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(text)

/** Tells whether this is a valid name of an input, which steps set and templates use. */
export const isIdentifier = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(text) && !RESERVED.has(text)

/** A valid name similar to the text; "" if it has no valid characters. */
export const nameFrom = (text: string, joint: "-" | "_"): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .replaceAll(/[^A-Za-z0-9_-]+/g, joint)
    .replaceAll(/^[-_]+|[-_]+$/g, "")
    .slice(0, 60)

/** Tells whether this is a valid name of an agent, a skill, or a part of a flow id. */
export const isName = (text: string): boolean => NAME.test(text) && !RESERVED.has(text)
export const isFlowId = (text: string): boolean => text.length <= 300 && text.split(":").every(isName)
