// The ids of calls that a person gives in a model's place [K12]: results and approvals name them.

export const callIdOf = ({ id }: { readonly id?: string }, turn: number, index: number): string => id ?? `instead_${turn}_${index}`
