// Formats and reads the keys of a run: one for each effect and each timer.
//
// A key is a pure function of step, pass, turn and call [J1]. Keys are in journals, so their forms never change. An effect's key begins
// with STEP/PASS/; a step's id holds no slash.

const effect = (step: string, pass: number, at: number, what: string): string => `${step}/${pass}/${at}/${what}`

export const modelKey = (step: string, pass: number, turn: number): string => effect(step, pass, turn, "model")
export const compactKey = (step: string, pass: number, turn: number): string => effect(step, pass, turn, "compact")
export const toolKey = (step: string, pass: number, turn: number, callId: string): string => effect(step, pass, turn, `tool/${callId}`)
export const sessionKey = (step: string, pass: number): string => effect(step, pass, 0, "session")
export const contextKey = (step: string, pass: number): string => effect(step, pass, 0, "context")
export const cacheKey = (step: string, pass: number): string => effect(step, pass, 0, "cache")
export const scoreKey = (step: string, pass: number): string => effect(step, pass, 0, "score")
/** [V25] */
export const putBackKey = (step: string, pass: number): string => effect(step, pass, 0, "put-back")
/** `turn`: how often its handler was run before in this pass, for the answers of its calls [F27]. */
export const codeKey = (step: string, pass: number, turn = 0): string => effect(step, pass, turn, "code")
export const callsKey = (step: string, pass: number, turn: number): string => effect(step, pass, turn, "calls")
export const collectKey = (step: string, pass: number): string => effect(step, pass, 0, "collect")
export const childKey = (step: string, pass: number, index: number): string => effect(step, pass, index, "child")
/** [R34] `n`: how many batches the pass had begun before. */
export const batchKey = (step: string, pass: number, n: number): string => effect(step, pass, n, "batch")
export const isBatchKey = (key: string): boolean => key.endsWith("/batch")
/** [T42] The key of the budget reserved for the run that a tool call starts. */
export const calledKey = (toolKey: string): string => `${toolKey}/child`
/** [B4] The key of a lease. */
export const leaseKey = (slice: number): string => `lease/${slice}`

export const RUN_TIMEOUT = "timeout"
export const stepTimeout = (step: string, pass: number): string => `timeout/${step}/${pass}`
export const retryKey = (step: string, pass: number): string => `retry/${step}/${pass}`
export const waitKey = (step: string, pass: number): string => `wait/${step}/${pass}`
export const expiryKey = (interaction: string): string => `expire/${interaction}`

/** The pass in the key of a step's effect. */
export const passOf = (key: string): number => Number(key.split("/")[1])
/** The index of a child, in a key of `childKey`. */
export const childIndexOf = (key: string): number => Number(key.split("/")[2])
export const isKeyOf = (key: string, step: string): boolean => key.startsWith(`${step}/`)
export const isCallKey = (key: string, callId: string): boolean => key.endsWith(`/tool/${callId}`)
/** Tells whether the key belongs to the start of a run: a child, or a run that a tool call starts. */
export const isChildKey = (key: string): boolean => key.endsWith("/child")
/** Tells a key from a run id: orphans are listed by either. */
export const isKey = (orphan: string): boolean => orphan.includes("/")
