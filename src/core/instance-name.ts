// What an own instance is called [N2], and what its Worker and the dispatcher's binding to it are called after it.
//
// A name is a label of a host as well: small letters, digits and single hyphens between them.

const NAME = /^[a-z](?:-?[a-z0-9]){1,30}$/
const LONGEST = 31
/** The shared instance's own Worker, and the dispatcher's. */
const TAKEN: ReadonlySet<string> = new Set(["dispatcher", "www", "api"])

export const isInstanceName = (text: string): boolean => text.length <= LONGEST && NAME.test(text) && !TAKEN.has(text)

export const INSTANCE_NAME_SAYS = `2 to ${LONGEST} small letters and digits, single "-" between them, a letter in front; not ${[...TAKEN].join(", ")}`

export const workerOf = (name: string): string => `sluice-${name}`

/** No name holds a "_", so no two meet. */
export const bindingOf = (name: string): string => `INSTANCE_${name.replaceAll("-", "_")}`
