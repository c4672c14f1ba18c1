// Makes ids for calls that a person gives instead of a model [K12]: results and approvals refer to them.

export const callIdOf = ({ id }: { readonly id?: string }, turn: number, index: number): string => id ?? `instead_${turn}_${index}`
