// The text of an API key [H1].

const KEY = /^sl_([a-z][a-z0-9-]{1,30}(?:_(?:eu|us))?)_[0-9A-Za-z]{32,128}$/

/** The tenant that a key names, by its last "_"; undefined: this is not a key of ours. */
export const tenantOf = (key: string): string | undefined => KEY.exec(key)?.[1]
